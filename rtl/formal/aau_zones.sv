// ZSPTF serves zone by zone: two lanes of the arm-arbitration unit (aau_cost, COST_MODEL 1) with any two candidates of a
// sled. The one whose zone comes sooner, upwards from the sled's, has the lesser key whatever the times; in one zone the
// times decide. For yosys-smtbmc, by induction: what a stage holds came from the same slot and sled, which stand as long
// as a decision lasts. What hierconn names are nets of the flattened lanes.
module aau_zones (
  input logic        clk,
  input logic        active_i,
  input logic        present_i,
  input logic [24:0] time_a_i,
  input logic [24:0] time_b_i
);
  logic started_q;  // reset holds in the first clock
  initial started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;

  (* anyconst *) logic [15:0] slot_a, slot_b, sled;
  (* anyconst *) logic [4:0] zone;
  logic [14:1] ok_a, ok_b;
  logic [39:0] key_a, key_b;

  aau_cost #(.CYL_BITS(16), .COST_MODEL(1)) u_a (
    .clk, .rst_n(started_q), .active_i, .abandon_i(1'b0), .ok_o(ok_a),
    .policy_i(3'd5), .yield_i('0), .zone_i(zone), .margin_i('0), .head_switch_i('0), .write_settle_i('0), .ageing_i('0),
    .reposition_i('0), .stroke_i('1), .tick_i('0), .host_in_snapshot_i(1'b0), .present_i,
    .slot_cylinder_1_i(slot_a), .slot_head_1_i('0), .slot_class_1_i('0), .slot_stack_1_i('0), .write_11_i(1'b0),
    .reserved_11_i(1'b0), .ages_11_i(1'b1),
    .committed_11_i('0), .angle_12_i('0), .arm_cylinder_2_i('0), .arm_head_1_i('0), .offset_1_i('0),
    .arm_stack_1_i('0), .turns_1_i(1'b1), .first_1_i('0), .last_1_i('1), .usable_1_i('1), .phase_12_i('0),
    .channels_i('0), .gap_i('0), .length_12_i('0), .busy_11_i(1'b0), .arm_11_i('0), .free_11_i('0), .wrote_11_i(1'b0),
    .taken_i('0), .from_i('0), .to_i('0), .latest_i('0), .sled_x_2_i(sled), .sled_12_i(time_a_i),
    .distance_3_o(), .seek_10_i('0), .key_14_o(key_a), .time_14_o(), .defers_14_o()
  );
  aau_cost #(.CYL_BITS(16), .COST_MODEL(1)) u_b (
    .clk, .rst_n(started_q), .active_i, .abandon_i(1'b0), .ok_o(ok_b),
    .policy_i(3'd5), .yield_i('0), .zone_i(zone), .margin_i('0), .head_switch_i('0), .write_settle_i('0), .ageing_i('0),
    .reposition_i('0), .stroke_i('1), .tick_i('0), .host_in_snapshot_i(1'b0), .present_i,
    .slot_cylinder_1_i(slot_b), .slot_head_1_i('0), .slot_class_1_i('0), .slot_stack_1_i('0), .write_11_i(1'b0),
    .reserved_11_i(1'b0), .ages_11_i(1'b1),
    .committed_11_i('0), .angle_12_i('0), .arm_cylinder_2_i('0), .arm_head_1_i('0), .offset_1_i('0),
    .arm_stack_1_i('0), .turns_1_i(1'b1), .first_1_i('0), .last_1_i('1), .usable_1_i('1), .phase_12_i('0),
    .channels_i('0), .gap_i('0), .length_12_i('0), .busy_11_i(1'b0), .arm_11_i('0), .free_11_i('0), .wrote_11_i(1'b0),
    .taken_i('0), .from_i('0), .to_i('0), .latest_i('0), .sled_x_2_i(sled), .sled_12_i(time_b_i),
    .distance_3_o(), .seek_10_i('0), .key_14_o(key_b), .time_14_o(), .defers_14_o()
  );

  // Zones from the sled's upwards, modulo, as the contract has them.
  logic [15:0] up_a, up_b;
  assign up_a = (slot_a >> zone) - (sled >> zone);
  assign up_b = (slot_b >> zone) - (sled >> zone);

  logic [24:0] time_a_13_q, time_b_13_q, time_a_14_q, time_b_14_q;
  logic [14:13] held_q;  // what is in the stage came through the one before it since reset
  always_ff @(posedge clk) begin
    if (!started_q) begin
      held_q <= '0;
    end else begin
      if (active_i && ok_a[12]) begin
        held_q[13] <= 1'b1;
        time_a_13_q <= time_a_i;
        time_b_13_q <= time_b_i;
      end
      if (ok_a[13]) begin
        held_q[14] <= held_q[13];
        time_a_14_q <= time_a_13_q;
        time_b_14_q <= time_b_13_q;
      end
    end
  end

  (* hierconn *) logic [24:0] \u_a.target_2_q , \u_b.target_2_q ;
  (* hierconn *) logic [15:0] \u_a.way_3_q , \u_a.way_4_q , \u_a.way_5_q , \u_a.way_6_q , \u_a.way_7_q , \u_a.way_8_q ;
  (* hierconn *) logic [15:0] \u_a.way_9_q , \u_a.way_10_q , \u_a.way_11_q , \u_a.way_12_q , \u_a.way_13_q ;
  (* hierconn *) logic [15:0] \u_b.way_3_q , \u_b.way_4_q , \u_b.way_5_q , \u_b.way_6_q , \u_b.way_7_q , \u_b.way_8_q ;
  (* hierconn *) logic [15:0] \u_b.way_9_q , \u_b.way_10_q , \u_b.way_11_q , \u_b.way_12_q , \u_b.way_13_q ;
  logic [11*16-1:0] ways_a, ways_b;
  assign ways_a = {\u_a.way_13_q , \u_a.way_12_q , \u_a.way_11_q , \u_a.way_10_q , \u_a.way_9_q , \u_a.way_8_q ,
                   \u_a.way_7_q , \u_a.way_6_q , \u_a.way_5_q , \u_a.way_4_q , \u_a.way_3_q };
  assign ways_b = {\u_b.way_13_q , \u_b.way_12_q , \u_b.way_11_q , \u_b.way_10_q , \u_b.way_9_q , \u_b.way_8_q ,
                   \u_b.way_7_q , \u_b.way_6_q , \u_b.way_5_q , \u_b.way_4_q , \u_b.way_3_q };
  (* hierconn *) logic [24:0] \u_a.time_13_q , \u_b.time_13_q ;

  logic [14:0] chosen_a, chosen_b;
  assign chosen_a = {1'b0, up_a[13:0]};
  assign chosen_b = {1'b0, up_b[13:0]};

  always_comb begin
    if (started_q) begin
      assert (ok_a == ok_b);
      if (ok_a[2]) assert (\u_a.target_2_q == 25'(slot_a) && \u_b.target_2_q == 25'(slot_b));
      for (int unsigned k = 3; k <= 13; k++) begin
        if (ok_a[k]) assert (ways_a[16*(k-3)+:16] == up_a && ways_b[16*(k-3)+:16] == up_b);
      end
      if (held_q[13] && ok_a[13]) assert (\u_a.time_13_q == time_a_13_q && \u_b.time_13_q == time_b_13_q);
      if (ok_a[14] && held_q[14]) begin
        assert (key_a == {chosen_a, time_a_14_q} && key_b == {chosen_b, time_b_14_q});
        if (up_a[13:0] < up_b[13:0]) assert ($signed(key_a) < $signed(key_b));
        if (up_a[13:0] == up_b[13:0] && time_a_14_q < time_b_14_q) assert ($signed(key_a) < $signed(key_b));
      end
    end
  end
endmodule
