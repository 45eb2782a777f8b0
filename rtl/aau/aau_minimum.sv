// The least of a row's candidates, a level of the tree each clock, and the best of all rows so far.
//
// Order: least key, then oldest, then least time, then one that does not defer, then lowest arm, then lowest head.
// Sequence numbers of different slots differ, so in a row, which is one arm and head, key and age decide. Against the
// best so far the same slot can appear again; rows come in ascending order of arm and head, so that the first stays.
module aau_minimum #(
  parameter int unsigned LANES = 4,
  parameter int unsigned SEQ_BITS = 32,
  parameter int unsigned SLOT_BITS = 5,
  parameter int unsigned ROW_BITS = 3,
  parameter int unsigned ARM_BITS = 3
) (
  input  logic                               clk,
  input  logic                               rst_n,
  input  logic                               clear_i,   // a decision begins, or is abandoned
  input  logic [LANES-1:0]                   ok_i,      // stage 14
  input  logic [LANES*aau_pkg::KeyBits-1:0]  key_i,
  input  logic [LANES*aau_pkg::TimeBits-1:0] time_i,
  input  logic [LANES-1:0]                   defers_i,
  input  logic [LANES*SEQ_BITS-1:0]          sequence_i,
  input  logic [ROW_BITS-1:0]                row_i,     // of the stage after the tree
  input  logic [ARM_BITS-1:0]                arm_i,
  input  logic [1:0]                         head_i,

  output logic                               found_o,
  output logic [SLOT_BITS-1:0]               slot_o,
  output logic [ARM_BITS-1:0]                arm_o,
  output logic [1:0]                         head_o,
  output logic [aau_pkg::TimeBits-1:0]       time_o,
  output logic                               defers_o
);
  localparam int unsigned Levels = $clog2(LANES);
  localparam int unsigned KeyBits = aau_pkg::KeyBits;
  localparam int unsigned TimeBits = aau_pkg::TimeBits;
  localparam int unsigned LaneBits = LANES > 1 ? Levels : 1;


  // Nodes as a heap: the root is 0, its two are 1 and 2, and so on; the lanes are the last.
  logic [2*LANES-2:0]              ok  /*verilator split_var*/;
  logic [(2*LANES-1)*KeyBits-1:0]  keys  /*verilator split_var*/;
  logic [(2*LANES-1)*SEQ_BITS-1:0] sequences  /*verilator split_var*/;
  logic [(2*LANES-1)*TimeBits-1:0] times  /*verilator split_var*/;
  logic [2*LANES-2:0]              defers  /*verilator split_var*/;
  logic [(2*LANES-1)*LaneBits-1:0] lanes  /*verilator split_var*/;

  for (genvar i = 0; i < LANES; i++) begin : g_leaf
    assign ok[LANES-1+i] = ok_i[i];
    assign keys[(LANES-1+i)*KeyBits+:KeyBits] = key_i[i*KeyBits+:KeyBits];
    assign sequences[(LANES-1+i)*SEQ_BITS+:SEQ_BITS] = sequence_i[i*SEQ_BITS+:SEQ_BITS];
    assign times[(LANES-1+i)*TimeBits+:TimeBits] = time_i[i*TimeBits+:TimeBits];
    assign defers[LANES-1+i] = defers_i[i];
    assign lanes[(LANES-1+i)*LaneBits+:LaneBits] = LaneBits'(i);
  end

  for (genvar i = 0; i < LANES - 1; i++) begin : g_node
    aau_minimum_node #(
      .SEQ_BITS(SEQ_BITS), .LANE_BITS(LaneBits)
    ) u_node (
      .clk, .rst_n, .clear_i,
      .ok_a_i(ok[2*i+1]),
      .ok_b_i(ok[2*i+2]),
      .key_a_i(keys[(2*i+1)*KeyBits+:KeyBits]),
      .key_b_i(keys[(2*i+2)*KeyBits+:KeyBits]),
      .sequence_a_i(sequences[(2*i+1)*SEQ_BITS+:SEQ_BITS]),
      .sequence_b_i(sequences[(2*i+2)*SEQ_BITS+:SEQ_BITS]),
      .time_a_i(times[(2*i+1)*TimeBits+:TimeBits]),
      .time_b_i(times[(2*i+2)*TimeBits+:TimeBits]),
      .defers_a_i(defers[2*i+1]),
      .defers_b_i(defers[2*i+2]),
      .lane_a_i(lanes[(2*i+1)*LaneBits+:LaneBits]),
      .lane_b_i(lanes[(2*i+2)*LaneBits+:LaneBits]),
      .ok_o(ok[i]),
      .key_o(keys[i*KeyBits+:KeyBits]),
      .sequence_o(sequences[i*SEQ_BITS+:SEQ_BITS]),
      .time_o(times[i*TimeBits+:TimeBits]),
      .defers_o(defers[i]),
      .lane_o(lanes[i*LaneBits+:LaneBits])
    );
  end

  // ---- Best so far -----------------------------------------------------------------------------------------------

  logic                 found_q, defers_q;
  logic [KeyBits-1:0]   key_q;
  logic [SEQ_BITS-1:0]  sequence_q;
  logic [TimeBits-1:0]  time_q;
  logic [SLOT_BITS-1:0] slot_q;
  logic [ARM_BITS-1:0]  arm_q;
  logic [1:0]           head_q;

  logic                 row_ok;
  logic [KeyBits-1:0]   row_key;
  logic [SEQ_BITS-1:0]  row_sequence;
  logic [TimeBits-1:0]  row_time;
  assign row_ok = ok[0];
  assign row_key = keys[0+:KeyBits];
  assign row_sequence = sequences[0+:SEQ_BITS];
  assign row_time = times[0+:TimeBits];

  function automatic logic better(input logic [KeyBits-1:0] key_a, input logic [KeyBits-1:0] key_b,
                                  input logic [SEQ_BITS-1:0] sequence_a, input logic [SEQ_BITS-1:0] sequence_b,
                                  input logic [TimeBits-1:0] time_a, input logic [TimeBits-1:0] time_b,
                                  input logic defers_a, input logic defers_b);
    logic [SEQ_BITS-1:0] difference;
    difference = sequence_a - sequence_b;
    if (key_a != key_b) better = $signed(key_a) < $signed(key_b);
    else if (sequence_a != sequence_b) better = difference[SEQ_BITS-1];
    else if (time_a != time_b) better = time_a < time_b;
    else better = !defers_a && defers_b;
  endfunction

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) found_q <= 1'b0;
    else if (clear_i) found_q <= 1'b0;
    else if (row_ok) found_q <= 1'b1;
  end

  always_ff @(posedge clk) begin
    if (row_ok && (!found_q || better(row_key, key_q, row_sequence, sequence_q, row_time, time_q,
                                       defers[0], defers_q))) begin
      key_q <= row_key;
      sequence_q <= row_sequence;
      time_q <= row_time;
      defers_q <= defers[0];
      slot_q <= LANES > 1 ? SLOT_BITS'({row_i, lanes[0+:LaneBits]}) : SLOT_BITS'(row_i);
      arm_q <= arm_i;
      head_q <= head_i;
    end
  end

  assign found_o = found_q;
  assign slot_o = slot_q;
  assign arm_o = arm_q;
  assign head_o = head_q;
  assign time_o = time_q;
  assign defers_o = defers_q;
endmodule
