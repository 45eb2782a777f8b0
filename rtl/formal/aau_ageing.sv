// Ageing starves nobody: two lanes of the arm-arbitration unit (aau_cost) under aged SPTF, with any two candidates of a
// row. The greatest time is 2^25 - 1 ticks; one whose credit is greater by 2^25 has the lesser key, so that by
// `aau_winner` the other one is not granted in a decision in which it takes part. For yosys-smtbmc, in two steps by
// induction; times may be anything (they are cut off). What hierconn names are nets of the flattened lanes.
module aau_ageing (
  input logic        clk,
  input logic        active_i,
  input logic        present_i,
  input logic [39:0] tick_i,
  input logic [39:0] committed_a_i,
  input logic [39:0] committed_b_i,
  input logic [3:0]  channels_i,  // appointments of any kind: what they cost is a time like any other
  input logic [aau_pkg::Appointments-1:0] taken_i,
  input logic [aau_pkg::Appointments*aau_pkg::AheadBits-1:0] from_i,
  input logic [aau_pkg::Appointments*aau_pkg::AheadBits-1:0] to_i,
  input logic [aau_pkg::AheadBits-1:0] latest_i
);
  logic started_q;  // reset holds in the first clock
  initial started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;

  (* anyconst *) logic [15:0] ageing;  // a write of it abandons the decision
  logic [14:1] ok_a, ok_b;
  logic [39:0] key_a, key_b;

  aau_cost u_a (
    .clk, .rst_n(started_q), .active_i, .abandon_i(1'b0), .ok_o(ok_a),
    .policy_i(3'd4), .yield_i('0), .zone_i('0), .margin_i('0),
    .head_switch_i('0), .write_settle_i('0), .ageing_i(ageing),
    .reposition_i('0), .stroke_i('1), .tick_i, .host_in_snapshot_i(1'b0), .present_i,
    .slot_cylinder_1_i('0), .slot_head_1_i('0), .slot_class_1_i('0), .slot_stack_1_i('0), .write_11_i(1'b0),
    .ages_11_i(1'b1),
    .committed_11_i(committed_a_i), .angle_12_i('0), .arm_cylinder_2_i('0), .arm_head_1_i('0), .offset_1_i('0),
    .arm_stack_1_i('0), .turns_1_i(1'b1), .first_1_i('0), .last_1_i('1), .usable_1_i('1), .phase_12_i('0),
    .channels_i, .length_12_i('0), .busy_11_i(1'b0), .free_11_i('0), .wrote_11_i(1'b0), .taken_i, .from_i, .to_i,
    .latest_i,
    .sled_x_2_i('0), .sled_12_i('0),
    .distance_3_o(), .seek_10_i('0), .key_14_o(key_a), .time_14_o(), .defers_14_o()
  );
  aau_cost u_b (
    .clk, .rst_n(started_q), .active_i, .abandon_i(1'b0), .ok_o(ok_b),
    .policy_i(3'd4), .yield_i('0), .zone_i('0), .margin_i('0),
    .head_switch_i('0), .write_settle_i('0), .ageing_i(ageing),
    .reposition_i('0), .stroke_i('1), .tick_i, .host_in_snapshot_i(1'b0), .present_i,
    .slot_cylinder_1_i('0), .slot_head_1_i('0), .slot_class_1_i('0), .slot_stack_1_i('0), .write_11_i(1'b0),
    .ages_11_i(1'b1),
    .committed_11_i(committed_b_i), .angle_12_i('0), .arm_cylinder_2_i('0), .arm_head_1_i('0), .offset_1_i('0),
    .arm_stack_1_i('0), .turns_1_i(1'b1), .first_1_i('0), .last_1_i('1), .usable_1_i('1), .phase_12_i('0),
    .channels_i, .length_12_i('0), .busy_11_i(1'b0), .free_11_i('0), .wrote_11_i(1'b0), .taken_i, .from_i, .to_i,
    .latest_i,
    .sled_x_2_i('0), .sled_12_i('0),
    .distance_3_o(), .seek_10_i('0), .key_14_o(key_b), .time_14_o(), .defers_14_o()
  );
  (* hierconn *) logic [31:0] \u_a.waited_12_q , \u_b.waited_12_q ;
  (* hierconn *) logic [37:0] \u_a.credit_13_q , \u_b.credit_13_q ;

  (* hierconn *) logic [24:0] \u_a.target_2_q , \u_b.target_2_q ;

  // What the clocks say: ticks since the commit modulo 2^40; weight times ticks that count.
  logic [39:0] ticks_a, ticks_b, ticks_a_12_q, ticks_b_12_q;
  logic [47:0] product_a_13_q, product_b_13_q;
  logic [47:0] product_a_14_q, product_b_14_q;
  assign ticks_a = tick_i - committed_a_i;
  assign ticks_b = tick_i - committed_b_i;
  always_ff @(posedge clk) begin
    if (active_i && ok_a[11]) begin
      ticks_a_12_q <= ticks_a;
      ticks_b_12_q <= ticks_b;
    end
    if (active_i && ok_a[12]) begin
      product_a_13_q <= 48'(\u_a.waited_12_q ) * 48'(ageing);
      product_b_13_q <= 48'(\u_b.waited_12_q ) * 48'(ageing);
    end
    if (ok_a[13]) begin
      product_a_14_q <= product_a_13_q;
      product_b_14_q <= product_b_13_q;
    end
  end

  // What is in a stage came through the ones before it since reset.
  logic [14:12] held_q;
  always_ff @(posedge clk) begin
    if (!started_q) begin
      held_q <= '0;
    end else begin
      if (active_i && ok_a[11]) held_q[12] <= 1'b1;
      if (active_i && ok_a[12]) held_q[13] <= held_q[12];
      if (ok_a[13]) held_q[14] <= held_q[13];
    end
  end

  function automatic logic [31:0] counts(input logic [39:0] ticks);
    counts = ticks[39] ? 32'd0 : ticks > 40'hFFFFFFFF ? 32'hFFFFFFFF : ticks[31:0];
  endfunction

  always_comb begin
    if (started_q) begin
      assert (ok_a == ok_b);
      if (ok_a[2]) assert (\u_a.target_2_q == '0 && \u_b.target_2_q == '0);
      if (held_q[12]) begin
        assert (\u_a.waited_12_q == counts(ticks_a_12_q) && \u_b.waited_12_q == counts(ticks_b_12_q));
      end
      if (held_q[13]) begin
        assert (\u_a.credit_13_q == product_a_13_q[47:10] && \u_b.credit_13_q == product_b_13_q[47:10]);
      end
      // a has waited longer, by weight times ticks of 2^35 = 2^25 * 1,024 at least: it is before b whatever they cost.
      if (held_q[14] && product_a_14_q >= product_b_14_q && product_a_14_q - product_b_14_q >= 48'h800000000) begin
        assert ($signed(key_a) < $signed(key_b));
      end
    end
  end
endmodule
