// A whole decision of the arm-arbitration unit, proved by induction over one clock; included by
// arm_arbitration_unit_formal.svh. Keys and times may be anything (they are cut off), so this holds for every policy and
// seek table. One candidate - any slot, arm and head - is followed from the bus to the grant:
//   - who wins is eligible, by what was last written over the bus;
//   - every eligible candidate of the snapshot has been compared when a decision ends, and the winner's key is no greater.
// For instances of one lane, two slots, two arms and two heads. What hierconn names are nets of the flattened unit.

(* anyconst *) logic f_slot;
(* anyconst *) logic f_arm;
(* anyconst *) logic [1:0] f_head;
always_comb assume (f_head < 2'd2);
// A channel for each arm: none in service is reckoned with, nothing defers.
always_comb assume (channels == '0);

(* hierconn *) logic [ARMS-1:0] \u_scan.arms_q , \u_scan.arms_left_q ;
(* hierconn *) logic [1:0] \u_scan.rows_q , \u_scan.rows_left_q , \u_scan.head_last , \u_slots.host_q ;
(* hierconn *) logic [17:0] \u_scan.last_q ;
(* hierconn *) logic [14*4-1:0] \u_scan.tags_q ;
(* hierconn *) logic [39:0] \u_minimum.key_q ;
(* hierconn *) logic [24:0] \g_lane[0].u_cost.target_2_q ;
(* hierconn *) logic [CYL_BITS-1:0] \g_lane[0].u_bank.cylinder_q[0] , \g_lane[0].u_bank.cylinder_q[1] ;
(* hierconn *) logic [7:0] \g_lane[0].u_bank.head_q[0] , \g_lane[0].u_bank.head_q[1] ;
(* hierconn *) logic [3:0] \g_lane[0].u_bank.arm_q[0] , \g_lane[0].u_bank.arm_q[1] ;
(* hierconn *) logic [5:0] \g_lane[0].u_bank.kind_q[0] , \g_lane[0].u_bank.kind_q[1] ;
(* hierconn *) logic [2:0] \u_arms.stack_q[0] , \u_arms.stack_q[1] ;
(* hierconn *) logic [7:0] \u_arms.first_q[0] , \u_arms.first_q[1] , \u_arms.last_q[0] , \u_arms.last_q[1] ;
(* hierconn *) logic \u_arms.busy_1_q ;
(* hierconn *) logic [23:0] \u_arms.offset_q[0] , \u_arms.offset_q[1] ;
(* hierconn *) logic [31:0] \u_arms.usable_q[0] , \u_arms.usable_q[1] , \u_arms.usable_q[2] , \u_arms.usable_q[3] ;

// ---- As written over the bus -----------------------------------------------------------------------------------------

function automatic logic f_writes(input logic [31:0] offset, input logic [31:0] entry);
  f_writes = psel && penable && pwrite && {16'h0, paddr} == offset + 4 * entry;
endfunction

logic [CYL_BITS-1:0] f_cylinder_q;
logic [7:0] f_surface_q, f_first_q, f_last_q;
logic [3:0] f_reserved_q;
logic [31:0] f_usable_q;
logic [1:0] f_class_0_q, f_class_1_q;
logic [2:0] f_stack_q, f_arm_stack_q;
logic [23:0] f_offset_q;
always_ff @(posedge clk or negedge rst_n) begin
  if (!rst_n) begin
    f_cylinder_q <= '0;
    f_surface_q <= '0;
    f_reserved_q <= '0;
    f_class_0_q <= '0;
    f_class_1_q <= '0;
    f_stack_q <= '0;
    f_first_q <= '0;
    f_last_q <= '1;
    f_usable_q <= '1;
    f_arm_stack_q <= '0;
    f_offset_q <= '0;
  end else begin
    if (f_writes(aau_regs_pkg::SlotTargetOffset, 32'(f_slot))) begin
      f_cylinder_q <= pwdata[aau_regs_pkg::SlotTargetCylinderLsb+:CYL_BITS];
      f_surface_q <= pwdata[aau_regs_pkg::SlotTargetHeadLsb+:8];
    end
    if (f_writes(aau_regs_pkg::SlotArmOffset, 32'(f_slot))) f_reserved_q <= pwdata[3:0];
    if (f_writes(aau_regs_pkg::SlotCommitOffset, 32'(f_slot))) begin
      f_stack_q <= pwdata[aau_regs_pkg::SlotCommitStackLsb+:3];
    end
    for (int unsigned i = 0; i < 2; i++) begin
      if (f_writes(aau_regs_pkg::SlotCommitOffset, i)) begin
        if (i == 0) f_class_0_q <= pwdata[aau_regs_pkg::SlotCommitSlotClassLsb+:2];
        else f_class_1_q <= pwdata[aau_regs_pkg::SlotCommitSlotClassLsb+:2];
      end
    end
    if (f_writes(aau_regs_pkg::ArmMountOffset, 32'(f_arm))) begin
      f_arm_stack_q <= pwdata[aau_regs_pkg::ArmMountStackLsb+:3];
    end
    if (f_writes(aau_regs_pkg::ArmReachOffset, 32'(f_arm))) begin
      f_first_q <= pwdata[aau_regs_pkg::ArmReachFirstLsb+:8];
      f_last_q <= pwdata[aau_regs_pkg::ArmReachLastLsb+:8];
    end
    if (f_writes(aau_regs_pkg::HeadMaskOffset, 4 * 32'(f_arm) + 32'(f_head))) f_usable_q <= pwdata;
    if (f_writes(aau_regs_pkg::HeadOffsetOffset, 32'(f_head))) f_offset_q <= pwdata[23:0];
  end
end

// ---- Eligible, by the contract ---------------------------------------------------------------------------------------

logic f_host, f_free, f_serves, f_reachable, f_eligible, f_in_scan;
logic [1:0] f_class;
logic [7:0] f_bit;
logic [25:0] f_target;
assign f_class = f_slot ? f_class_1_q : f_class_0_q;
assign f_host = (snapshot[0] && f_class_0_q == 2'd0) || (snapshot[1] && f_class_1_q == 2'd0);
assign f_free = !f_reserved_q[aau_regs_pkg::SlotArmReservedLsb] || f_reserved_q[2:0] == 3'(f_arm);
assign f_bit = f_surface_q - f_first_q;
assign f_serves = !(f_class != 2'd0 && yields[f_class] && f_host) && f_stack_q == f_arm_stack_q &&
                  32'(f_stack_q) < STACKS && (turning_begin >> f_stack_q) % 2 == 1 && f_first_q <= f_surface_q &&
                  f_surface_q <= f_last_q && (f_bit >= 8'd32 || ((f_usable_q >> f_bit[4:0]) & 32'd1) == 32'd1);
assign f_target = 26'(f_cylinder_q) - {{2{f_offset_q[23]}}, f_offset_q};
assign f_reachable = !f_target[25] && f_target <= 26'(stroke);
assign f_eligible = snapshot[f_slot] && f_free && f_serves && f_reachable;
assign f_in_scan = snapshot[f_slot] && \u_scan.arms_q [f_arm] && f_head <= \u_scan.head_last ;

// ---- Where the candidate is ------------------------------------------------------------------------------------------

logic f_now, f_issued_q, f_passed_q;
logic [14:1] f_at_q;  // in that stage
logic [39:0] f_key_q;
assign f_now = issue && row == f_slot && arm == f_arm && head == f_head;
always_ff @(posedge clk or negedge rst_n) begin
  if (!rst_n) begin
    f_issued_q <= 1'b0;
    f_passed_q <= 1'b0;
    f_at_q <= '0;
    f_key_q <= '0;
  end else if (begins || abandoned) begin
    f_issued_q <= 1'b0;
    f_passed_q <= 1'b0;
    f_at_q <= '0;
  end else if (deciding) begin
    if (f_now) f_issued_q <= 1'b1;
    f_at_q <= {f_at_q[13:1], f_now};
    if (f_at_q[14]) begin
      f_passed_q <= 1'b1;
      f_key_q <= key_14;
    end
  end
end

logic f_to_come;
assign f_to_come = issue && (arm != f_arm ? \u_scan.arms_left_q [f_arm] :
                             head != f_head ? head < f_head :
                             row == f_slot || \u_scan.rows_left_q [f_slot]);

// ---- What holds in every clock, and so at the end -------------------------------------------------------------------

always_comb begin
  if (f_started_q) begin
    // The registers hold what was written.
    assert (f_cylinder_q == (f_slot ? \g_lane[0].u_bank.cylinder_q[1] : \g_lane[0].u_bank.cylinder_q[0] ));
    assert (f_surface_q == (f_slot ? \g_lane[0].u_bank.head_q[1] : \g_lane[0].u_bank.head_q[0] ));
    assert (f_reserved_q == (f_slot ? \g_lane[0].u_bank.arm_q[1] : \g_lane[0].u_bank.arm_q[0] ));
    assert ({f_stack_q, f_class} == (f_slot ? \g_lane[0].u_bank.kind_q[1] [5:1] : \g_lane[0].u_bank.kind_q[0] [5:1]));
    assert (f_arm_stack_q == (f_arm ? \u_arms.stack_q[1] : \u_arms.stack_q[0] ));
    assert (f_first_q == (f_arm ? \u_arms.first_q[1] : \u_arms.first_q[0] ));
    assert (f_last_q == (f_arm ? \u_arms.last_q[1] : \u_arms.last_q[0] ));
    assert (f_offset_q == (f_head[0] ? \u_arms.offset_q[1] : \u_arms.offset_q[0] ));
    assert (f_usable_q == (f_arm ? (f_head[0] ? \u_arms.usable_q[3] : \u_arms.usable_q[2] ) :
                                   (f_head[0] ? \u_arms.usable_q[1] : \u_arms.usable_q[0] )));
    assert (!waiting[0] || \u_slots.host_q [0] == (f_class_0_q == 2'd0));
    assert (!waiting[1] || \u_slots.host_q [1] == (f_class_1_q == 2'd0));

    assert (arms_kept == '0 && open_slots == waiting);

    // Rest.
    if (!deciding) assert (g_lane[0].ok == '0 && \u_scan.last_q == '0 && !issue && f_at_q == '0 && !ends);

    // A decision: what it looks at does not change, and in which order.
    if (deciding) begin
      assert ((snapshot & ~waiting) == '0 && (\u_scan.arms_q & ~(arms_idle[1:0] & arm_mask[1:0])) == '0);
      assert (\u_scan.rows_q == snapshot && (\u_scan.rows_left_q & ~snapshot) == '0);
      assert ((\u_scan.arms_left_q & ~\u_scan.arms_q ) == '0);
      assert (host_in_snapshot == f_host);
      assert (!issue || (snapshot[row] && \u_scan.arms_q [arm] && head <= \u_scan.head_last && \u_scan.last_q == '0));
      assert (issue || \u_scan.last_q != '0);
      assert ((\u_scan.last_q & (\u_scan.last_q - 18'd1)) == '0);
      for (int unsigned j = 1; j < 18; j++) begin
        for (int unsigned k = 1; k <= 14; k++) begin
          if (k <= j && \u_scan.last_q [j]) assert (!g_lane[0].ok[k] && !f_at_q[k]);
        end
      end

      // The candidate on its way.
      assert (!f_in_scan || f_issued_q || f_to_come);
      assert (!f_issued_q || f_passed_q || f_at_q != '0);
      for (int unsigned k = 1; k <= 14; k++) begin
        if (f_at_q[k]) assert (\u_scan.tags_q [4*(k-1)+:4] == {f_head, f_arm, f_slot});
        if (g_lane[0].ok[k] && \u_scan.tags_q [4*(k-1)+:4] == {f_head, f_arm, f_slot}) assert (f_at_q[k]);
        if (k >= 3 && f_at_q[k]) assert (g_lane[0].ok[k] == f_eligible);
      end
      if (f_at_q[1]) begin
        assert (valid_1 && g_lane[0].ok[1] == (snapshot[f_slot] && f_free));
        assert (arm_stack_1 == f_arm_stack_q && first_1 == f_first_q && last_1 == f_last_q);
        assert (offset_1 == f_offset_q && usable_1 == f_usable_q && !\u_arms.busy_1_q );
        assert (turns_1 == (32'(f_arm_stack_q) < STACKS && (turning_begin >> f_arm_stack_q) % 2 == 1));
        if (g_lane[0].ok[1]) begin
          assert (g_lane[0].slot_cylinder_1 == f_cylinder_q && g_lane[0].slot_head_1 == f_surface_q);
          assert (g_lane[0].slot_class_1 == f_class && g_lane[0].slot_stack_1 == f_stack_q);
        end
      end
      if (f_at_q[2]) begin
        assert (g_lane[0].ok[2] == (snapshot[f_slot] && f_free && f_serves));
        if (g_lane[0].ok[2]) assert (\g_lane[0].u_cost.target_2_q == f_target[24:0]);
      end
      if (f_at_q != '0 || f_passed_q) assert (f_issued_q);
      if (f_issued_q) assert (f_in_scan);
      if (found && best_slot == f_slot && best_arm == f_arm && best_head == f_head) assert (f_passed_q && f_eligible);
      if (f_passed_q && f_eligible) assert (found && $signed(\u_minimum.key_q ) <= $signed(f_key_q));
    end

    // The claims.
    if (grant_load && best_slot == f_slot && best_arm == f_arm && best_head == f_head) begin
      assert (f_eligible && waiting[f_slot] && arms_idle[f_arm] && arm_mask[f_arm] && f_head <= heads);
    end
    if (ends && f_in_scan && f_eligible) begin
      assert (found && f_passed_q && $signed(\u_minimum.key_q ) <= $signed(f_key_q));
    end
  end
end
