// The contract's clauses, a named assertion each; included by channel_arbiter.sv wherever it is simulated.

// What a decision should find, told from the state at s in another way than the pipeline's.
logic [7:0] model_asked_q;
logic [8*A-1:0] model_wait_q;  // with the margin
logic [2:0] since_q;  // edges since s, while a decision lasts
logic model_running_q;
logic [63:0] age_q[8];  // number of the request's write
logic [63:0] next_age_q;

always_ff @(posedge clk or negedge rst_n) begin
  if (!rst_n) begin
    model_running_q <= 1'b0;
    since_q <= '0;
    model_asked_q <= '0;
    model_wait_q <= '0;
    next_age_q <= '0;
    for (int i = 0; i < 8; i++) age_q[i] <= '0;
  end else begin
    if (start) begin
      model_running_q <= 1'b1;
      since_q <= 3'd1;
      model_asked_q <= valid_q;
      for (int i = 0; i < 8; i++)
        model_wait_q[i*A+:A] <= angle_q[i*A+:A] - stack_angle[stack_q[i*3+:3]*A+:A] - margin_q;
    end else if (touch || since_q == 3'd4) begin
      model_running_q <= 1'b0;
      since_q <= '0;
    end else if (model_running_q) begin
      since_q <= since_q + 3'd1;
    end
    if (write && at_request && pwdata[31]) begin
      age_q[arm] <= next_age_q;
      next_age_q <= next_age_q + 64'd1;
    end
  end
end

logic model_best;  // nobody that asked should come before the winner
always_comb begin
  model_best = 1'b1;
  for (int i = 0; i < 8; i++) begin
    if (model_asked_q[i] && i[2:0] != winner_q) begin
      if (policy_q) begin
        if (model_wait_q[i*A+:A] < model_wait_q[winner_q*A+:A]) model_best = 1'b0;
        if (model_wait_q[i*A+:A] == model_wait_q[winner_q*A+:A] && i[2:0] < winner_q) model_best = 1'b0;
      end else if (age_q[i] < age_q[winner_q]) begin
        model_best = 1'b0;
      end
    end
  end
end

logic [7:0] lower_channels;  // than the one that would be granted
assign lower_channels = (8'd1 << channel) - 8'd1;

localparam int unsigned VisibleBits = 4 + A + 16 + 8 * (A + 3) + 6;
logic [VisibleBits-1:0] visible;  // what the bus can read
assign visible = {enable_q, policy_q, inten_q, margin_q, free_q, valid_q, angle_q, stack_q, grant_valid_q, grant_arm_q,
                  grant_channel_q};

GrantFourEdgesAfterStart :
assert property (@(posedge clk) disable iff (!rst_n) grant |-> model_running_q && since_q == 3'd4);
GrantUnlessTouched :
assert property (@(posedge clk) disable iff (!rst_n) model_running_q && since_q == 3'd4 && !touch |-> grant);
GrantToAnArmThatAsks :
assert property (@(posedge clk) disable iff (!rst_n) grant |-> model_asked_q[winner_q] && valid_q[winner_q]);
GrantToTheBest :
assert property (@(posedge clk) disable iff (!rst_n) grant |-> model_best);
GrantOfTheLowestFreeChannel :
assert property (@(posedge clk) disable iff (!rst_n) grant |-> free_q[channel] && (free_q & lower_channels) == '0);
GrantTakesRequestAndChannel :
assert property (@(posedge clk) disable iff (!rst_n)
                 grant |=> grant_valid_q && !valid_q[grant_arm_q] && !free_q[grant_channel_q]);
GrantOnlyWhileNonePends :
assert property (@(posedge clk) disable iff (!rst_n) grant |-> !grant_valid_q && enable_q);
GrantStaysUntilAcknowledgedOrCleared :
assert property (@(posedge clk) disable iff (!rst_n)
                 grant_valid_q && !(write && (at_grant_ack || at_ctrl)) |=> grant_valid_q);
AcknowledgeEndsTheGrant :
assert property (@(posedge clk) disable iff (!rst_n) write && at_grant_ack && pwdata[0] |=> !grant_valid_q);
TouchAbandons :
assert property (@(posedge clk) disable iff (!rst_n) touch |=> phase_q == 3'd0);
StartOneEdgeAfterItsCondition :
assert property (@(posedge clk) disable iff (!rst_n) can_start && !touch |=> phase_q == 3'd1);
ClearTakesEverythingBack :
assert property (@(posedge clk) disable iff (!rst_n)
                 clear |=> valid_q == '0 && free_q == '0 && !grant_valid_q && phase_q == 3'd0);
NothingChangesWithoutAWriteOrAGrant :
assert property (@(posedge clk) disable iff (!rst_n) !write && !grant |=> $stable(visible));
ErrorForWhatTheInstanceLacks :
assert property (@(posedge clk) disable iff (!rst_n) pslverr |-> !write);
InterruptIsTheEnabledGrant :
assert property (@(posedge clk) disable iff (!rst_n) irq == (grant_valid_q && inten_q));
IdleMeansNothingHappens :
assert property (@(posedge clk) disable iff (!rst_n) idle && !write |=> idle && $stable(visible));
OnlyArmsAndChannelsOfTheInstance :
assert property (@(posedge clk) disable iff (!rst_n)
                 (32'(valid_q) >> ARMS) == 0 && (32'(free_q) >> CHANNELS) == 0);
