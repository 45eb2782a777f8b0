// A node of the minimum tree: the better of two candidates of a row, a clock later. Sequence numbers are compared
// modulo; those of the slots that wait differ and span less than half of the numbers.
module aau_minimum_node #(
  parameter int unsigned SEQ_BITS = 32,
  parameter int unsigned LANE_BITS = 2
) (
  input  logic                         clk,
  input  logic                         rst_n,
  input  logic                         clear_i,
  input  logic                         ok_a_i,
  input  logic                         ok_b_i,
  input  logic [aau_pkg::KeyBits-1:0]  key_a_i,
  input  logic [aau_pkg::KeyBits-1:0]  key_b_i,
  input  logic [SEQ_BITS-1:0]          sequence_a_i,
  input  logic [SEQ_BITS-1:0]          sequence_b_i,
  input  logic [aau_pkg::TimeBits-1:0] time_a_i,
  input  logic [aau_pkg::TimeBits-1:0] time_b_i,
  input  logic                         defers_a_i,
  input  logic                         defers_b_i,
  input  logic [LANE_BITS-1:0]         lane_a_i,
  input  logic [LANE_BITS-1:0]         lane_b_i,
  output logic                         ok_o,
  output logic [aau_pkg::KeyBits-1:0]  key_o,
  output logic [SEQ_BITS-1:0]          sequence_o,
  output logic [aau_pkg::TimeBits-1:0] time_o,
  output logic                         defers_o,
  output logic [LANE_BITS-1:0]         lane_o
);
  function automatic logic better(input logic [aau_pkg::KeyBits-1:0] key_a, input logic [aau_pkg::KeyBits-1:0] key_b,
                                  input logic [SEQ_BITS-1:0] sequence_a, input logic [SEQ_BITS-1:0] sequence_b);
    logic [SEQ_BITS-1:0] difference;
    difference = sequence_a - sequence_b;
    better = $signed(key_a) < $signed(key_b) || (key_a == key_b && difference[SEQ_BITS-1]);
  endfunction

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) ok_o <= 1'b0;
    else ok_o <= !clear_i && (ok_a_i || ok_b_i);
  end

  always_ff @(posedge clk) begin
    if (ok_b_i && (!ok_a_i || better(key_b_i, key_a_i, sequence_b_i, sequence_a_i))) begin
      key_o <= key_b_i;
      sequence_o <= sequence_b_i;
      time_o <= time_b_i;
      defers_o <= defers_b_i;
      lane_o <= lane_b_i;
    end else if (ok_a_i) begin
      key_o <= key_a_i;
      sequence_o <= sequence_a_i;
      time_o <= time_a_i;
      defers_o <= defers_a_i;
      lane_o <= lane_a_i;
    end
  end
endmodule
