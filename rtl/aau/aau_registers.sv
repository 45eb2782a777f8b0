// APB port and the registers that belong to the whole unit. Slots, arms and the pending grant hold their own; this
// block decodes for them. A transfer never waits. Reads are combinational and change nothing.
module aau_registers #(
  parameter int unsigned SLOTS = 32,
  parameter int unsigned ARMS = 8,
  parameter int unsigned HEADS = 4,
  parameter int unsigned CLASSES = 2,
  parameter int unsigned CYL_BITS = 23
) (
  input  logic                clk,
  input  logic                rst_n,
  input  logic                psel_i,
  input  logic                penable_i,
  input  logic                pwrite_i,
  input  logic [15:0]         paddr_i,
  input  logic [31:0]         pwdata_i,
  output logic [31:0]         prdata_o,
  output logic                pslverr_o,

  // A write that the next edge captures: any; of a register on which every decision depends; of which table.
  output logic                write_any_o,
  output logic                write_common_o,
  output logic                write_arm_o,
  output logic                write_mount_o,
  output logic                write_reach_o,
  output logic                write_head_offset_o,
  output logic                write_head_angle_o,
  output logic                write_head_mask_o,
  output logic                write_depends_o,
  output logic                write_target_o,
  output logic                write_commit_o,
  output logic                write_seek_time_o,
  output logic                write_arrived_o,
  output logic                write_withdraw_o,
  output logic                write_release_o,
  output logic                write_ack_o,
  output logic                withdraw_all_o,

  // What the other blocks read for the bus.
  input  logic [31:0]         arms_rdata_i,
  input  logic [31:0]         slots_rdata_i,
  input  logic [31:0]         grant_i,
  input  logic [31:0]         estimate_i,
  input  logic [15:0]         work_i,
  input  logic                withdraw_waiting_i,  // the slot that pwdata names waits

  output logic                enable_o,
  output logic [2:0]          policy_o,
  output logic [3:0]          yield_o,
  output logic                inten_o,
  output logic [15:0]         margin_o,
  output logic [15:0]         head_switch_o,
  output logic [15:0]         write_settle_o,
  output logic [15:0]         ageing_o,
  output logic [15:0]         reposition_o,
  output logic [3:0]          max_in_service_o,
  output logic [3:0]          max_moving_o,
  output logic [1:0]          heads_o,
  output logic [7:0]          arm_mask_o,
  output logic [CYL_BITS-1:0] stroke_o,
  output logic [7:0]          seek_entry_o,
  output logic                seek_class_o,
  output logic [23:0]         seek_distance_o,
  output logic [39:0]         seek_slope_o,
  output logic [2*9-1:0]      seek_entries_o  // of class 0 and of class 1
);
  logic [3:0]  limits_in_service_q, limits_moving_q;
  logic [1:0]  limits_heads_q;
  logic        enable_q;
  logic [2:0]  policy_q;
  logic [3:0]  yield_q;
  logic        inten_q;
  logic [15:0] margin_q, head_switch_q, write_settle_q, ageing_q, reposition_q;
  logic [7:0]  seek_entry_q;
  logic [23:0] seek_distance_q;
  logic [39:0] seek_slope_q;
  logic        seek_class_q;
  logic [8:0]  seek_entries_0_q, seek_entries_1_q;
  logic [7:0]  arm_mask_q;
  logic [9:0]  withdraw_slot_q;
  logic        too_late_q;
  logic [CYL_BITS-1:0] stroke_q;
  logic [23:0] sled_x_q;
  logic [25:0] sled_y_q;

  // ---- Decode ----------------------------------------------------------------------------------------------------

  logic in_unit, in_arms, in_heads, in_ride_along, in_masks, in_slots, decodes;
  assign in_unit = paddr_i[15:7] == 9'h0 && paddr_i[6:2] <= 5'h1B;
  assign in_arms = paddr_i[15:7] == 9'h1 && paddr_i[6:5] != 2'd3 && 32'(paddr_i[4:2]) < ARMS;
  assign in_heads = paddr_i[15:5] == 11'h007 && 32'(paddr_i[3:2]) < HEADS;
  assign in_ride_along = paddr_i[15:7] == 9'h2;
  assign in_masks = paddr_i[15:7] == 9'h3 && 32'(paddr_i[6:4]) < ARMS && 32'(paddr_i[3:2]) < HEADS;
  assign in_slots = !paddr_i[15] && paddr_i[14:13] != 2'd0 && !paddr_i[12] && 32'(paddr_i[11:2]) < SLOTS;
  assign decodes = paddr_i[1:0] == 2'd0 && (in_unit || in_arms || in_heads || in_ride_along || in_masks || in_slots);

  logic write;
  logic [4:0] word;
  assign write = psel_i && penable_i && pwrite_i && decodes;
  assign word = paddr_i[6:2];
  assign pslverr_o = psel_i && penable_i && !decodes;

  logic write_unit;
  assign write_unit = write && in_unit;
  assign write_any_o = write;
  assign write_arm_o = write && in_arms && paddr_i[6:5] == 2'd0;
  assign write_mount_o = write && in_arms && paddr_i[6:5] == 2'd1;
  assign write_reach_o = write && in_arms && paddr_i[6:5] == 2'd2;
  assign write_head_offset_o = write && in_heads && !paddr_i[4];
  assign write_head_angle_o = write && in_heads && paddr_i[4];
  assign write_head_mask_o = write && in_masks;
  assign write_depends_o = write && in_slots && paddr_i[14:13] == 2'd1;
  assign write_target_o = write && in_slots && paddr_i[14:13] == 2'd2;
  assign write_commit_o = write && in_slots && paddr_i[14:13] == 2'd3;
  assign write_ack_o = write_unit && word == 5'h06 && pwdata_i[0];
  assign write_seek_time_o = write_unit && word == 5'h0E;
  assign write_arrived_o = write_unit && word == 5'h12;
  assign write_withdraw_o = write_unit && word == 5'h13;
  assign write_release_o = write_unit && word == 5'h14;
  assign withdraw_all_o = write_unit && word == 5'h00 && pwdata_i[31];

  always_comb begin
    write_common_o = write && (in_heads || in_ride_along);
    if (write_unit) begin
      case (word)
        5'h03, 5'h06, 5'h0C, 5'h0D, 5'h16, 5'h17, 5'h18: write_common_o = 1'b0;  // inten, ack, staging of the table
        5'h12: write_common_o = limits_moving_q != 4'd0;
        5'h13: write_common_o = 1'b0;  // withdraw: the scan asks for its slot
        default: write_common_o = 1'b1;
      endcase
    end
  end

  // ---- Writes ----------------------------------------------------------------------------------------------------

  logic class_chosen;
  assign class_chosen = seek_class_q && CLASSES > 1;

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      enable_q <= 1'b0;
      policy_q <= '0;
      yield_q <= '0;
      inten_q <= 1'b0;
      margin_q <= '0;
      head_switch_q <= '0;
      write_settle_q <= '0;
      ageing_q <= '0;
      reposition_q <= '0;
      seek_entry_q <= '0;
      seek_distance_q <= '0;
      seek_slope_q <= '0;
      seek_class_q <= 1'b0;
      seek_entries_0_q <= '0;
      seek_entries_1_q <= '0;
      limits_in_service_q <= '0;
      limits_moving_q <= '0;
      limits_heads_q <= '0;
      arm_mask_q <= '1;
      withdraw_slot_q <= '0;
      too_late_q <= 1'b0;
      stroke_q <= '1;
      sled_x_q <= '0;
      sled_y_q <= '0;
    end else if (write_unit) begin
      case (word)
        5'h00: begin
          enable_q <= pwdata_i[0];
          policy_q <= pwdata_i[3:1];
          yield_q <= pwdata_i[7:4];
        end
        5'h03: inten_q <= pwdata_i[0];
        5'h07: margin_q <= pwdata_i[15:0];
        5'h08: head_switch_q <= pwdata_i[15:0];
        5'h09: write_settle_q <= pwdata_i[15:0];
        5'h0A: ageing_q <= pwdata_i[15:0];
        5'h0B: reposition_q <= pwdata_i[15:0];
        5'h0C: seek_entry_q <= pwdata_i[7:0];
        5'h0D: seek_distance_q <= pwdata_i[23:0];
        5'h0E: seek_entry_q <= seek_entry_q + 8'd1;
        5'h0F: begin
          if (class_chosen) seek_entries_1_q <= pwdata_i[8:0];
          else seek_entries_0_q <= pwdata_i[8:0];
        end
        5'h10: begin
          limits_in_service_q <= pwdata_i[3:0];
          limits_moving_q <= pwdata_i[7:4];
          limits_heads_q <= pwdata_i[9:8];
        end
        5'h11: arm_mask_q <= pwdata_i[7:0];
        5'h13: begin
          withdraw_slot_q <= pwdata_i[9:0];
          too_late_q <= !withdraw_waiting_i;
        end
        5'h15: stroke_q <= pwdata_i[CYL_BITS-1:0];
        5'h16: seek_slope_q[31:0] <= pwdata_i;
        5'h17: seek_slope_q[39:32] <= pwdata_i[7:0];
        5'h18: seek_class_q <= pwdata_i[0];
        5'h1A: sled_x_q <= pwdata_i[23:0];
        5'h1B: sled_y_q <= pwdata_i[25:0];
        default: ;  // read-only, or held elsewhere
      endcase
    end
  end

  // ---- Reads -----------------------------------------------------------------------------------------------------

  always_comb begin
    prdata_o = '0;
    if (psel_i && !pwrite_i && paddr_i[1:0] == 2'd0) begin
      if (in_arms || in_heads || in_masks) begin
        prdata_o = arms_rdata_i;
      end else if (in_slots) begin
        prdata_o = slots_rdata_i;
      end else if (in_unit) begin
        case (word)
          5'h00: prdata_o = {24'h0, yield_q, policy_q, enable_q};
          5'h01: prdata_o = {8'h0, 8'(HEADS), 4'(ARMS), 1'b0, 11'(SLOTS)};
          5'h02: prdata_o = {31'h0, grant_i[31]};
          5'h03: prdata_o = {31'h0, inten_q};
          5'h04: prdata_o = grant_i;
          5'h05: prdata_o = estimate_i;
          5'h07: prdata_o = {16'h0, margin_q};
          5'h08: prdata_o = {16'h0, head_switch_q};
          5'h09: prdata_o = {16'h0, write_settle_q};
          5'h0A: prdata_o = {16'h0, ageing_q};
          5'h0B: prdata_o = {16'h0, reposition_q};
          5'h0C: prdata_o = {24'h0, seek_entry_q};
          5'h0D: prdata_o = {8'h0, seek_distance_q};
          5'h0F: prdata_o = {23'h0, class_chosen ? seek_entries_1_q : seek_entries_0_q};
          5'h10: prdata_o = {22'h0, limits_heads_q, limits_moving_q, limits_in_service_q};
          5'h11: prdata_o = {24'h0, arm_mask_q};
          5'h13: prdata_o = {too_late_q, 21'h0, withdraw_slot_q};
          5'h15: prdata_o = 32'(stroke_q);
          5'h16: prdata_o = seek_slope_q[31:0];
          5'h17: prdata_o = {24'h0, seek_slope_q[39:32]};
          5'h18: prdata_o = {31'h0, seek_class_q};
          5'h19: prdata_o = {16'h0, work_i};
          5'h1A: prdata_o = {8'h0, sled_x_q};
          5'h1B: prdata_o = {6'h0, sled_y_q};
          default: ;  // write-only: 0
        endcase
      end
    end
  end

  assign enable_o = enable_q;
  assign policy_o = policy_q;
  assign yield_o = yield_q;
  assign inten_o = inten_q;
  assign margin_o = margin_q;
  assign head_switch_o = head_switch_q;
  assign write_settle_o = write_settle_q;
  assign ageing_o = ageing_q;
  assign reposition_o = reposition_q;
  assign max_in_service_o = limits_in_service_q;
  assign max_moving_o = limits_moving_q;
  assign heads_o = limits_heads_q;
  assign arm_mask_o = arm_mask_q;
  assign stroke_o = stroke_q;
  assign seek_entry_o = seek_entry_q;
  assign seek_class_o = class_chosen;
  assign seek_distance_o = seek_distance_q;
  assign seek_slope_o = seek_slope_q;
  assign seek_entries_o = {seek_entries_1_q, seek_entries_0_q};
endmodule
