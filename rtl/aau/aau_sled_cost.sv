// Positioning time of a sled (COST_MODEL 1), for the candidates of one lane, one a clock beside aau_cost: slot and arm in
// stage 1, time in stage 12. Equations and the words of the memory: docs/guide/mems.md.
//
// X and Y move at the same time, and the tips may pass over the row upwards or downwards: the time is that until the sled
// leaves, and the lesser of max(X, Y to the lower end) and max(X, Y to the upper end). The times of the seeks come from a
// memory outside of the unit, whose words are there four clocks after their address.
module aau_sled_cost (
  input  logic                         clk,
  input  logic                         active_i,
  input  logic [11:1]                  ok_i,  // the stage holds a candidate

  input  logic [15:0]                  cylinder_1_i,  // of the slot
  input  logic [15:0]                  row_1_i,
  input  logic [15:0]                  x_2_i,  // from where the arm's sled leaves
  input  logic [15:0]                  y_2_i,

  output logic                         read_3_o,
  output logic [31:0]                  x_address_3_o,  // from, to
  output logic [31:0]                  y_address_3_o,  // from, row
  input  logic [31:0]                  x_data_7_i,
  input  logic [31:0]                  up_data_7_i,    // to pass over the row upwards
  input  logic [31:0]                  down_data_7_i,

  input  logic                         up_8_i,    // the arm's sled moves upwards as it leaves
  input  logic [31:0]                  turn_8_i,  // to turn round there
  input  logic [31:0]                  leaves_11_i,  // from the beginning of the decision
  output logic [aau_pkg::TimeBits-1:0] time_12_o
);
  localparam int unsigned TimeBits = aau_pkg::TimeBits;
  localparam int unsigned SumBits = TimeBits + aau_pkg::SledShift;

  logic [15:0] cylinder_2_q, row_2_q;
  logic [31:0] x_address_3_q, y_address_3_q;
  logic [7:3] same_x_q;  // stages 3 to 7, and so on
  logic same_x_8_q;
  logic [aau_pkg::SledWordBits-1:0] x_8_q;
  logic [31:0] up_8_q, down_8_q;
  logic [SumBits-1:0] x_9_q, up_9_q, down_9_q, up_10_q, down_10_q, least_11_q, sum_12_q;
  logic down_9_none_q, down_10_none_q;

  // A sled that stands at the row's end and moves over the row already needs nothing. One that leaves against its way
  // turns round first; a turnaround at the end of the way is in the word.
  function automatic logic [SumBits-1:0] way(input logic [31:0] word, input logic passes_up, input logic moves_up,
                                             input logic [31:0] turn, input logic same_x);
    if (word[aau_pkg::SledAt] && same_x && moves_up == passes_up) way = '0;
    else if (word[aau_pkg::SledUp] != moves_up) way = SumBits'(word[aau_pkg::SledWordBits-1:0]) + SumBits'(turn);
    else way = SumBits'(word[aau_pkg::SledWordBits-1:0]);
  endfunction

  function automatic logic [SumBits-1:0] longer(input logic [SumBits-1:0] a, input logic [SumBits-1:0] b);
    longer = a >= b ? a : b;
  endfunction

  always_ff @(posedge clk) begin
    if (active_i) begin
      if (ok_i[1]) begin
        cylinder_2_q <= cylinder_1_i;
        row_2_q <= row_1_i;
      end
      if (ok_i[2]) begin
        x_address_3_q <= {x_2_i, cylinder_2_q};
        y_address_3_q <= {y_2_i, row_2_q};
      end
      same_x_q <= {same_x_q[6:3], x_2_i == cylinder_2_q};
      same_x_8_q <= same_x_q[7];
      if (ok_i[7]) begin
        x_8_q <= x_data_7_i[aau_pkg::SledWordBits-1:0];
        up_8_q <= up_data_7_i;
        down_8_q <= down_data_7_i;
      end
      if (ok_i[8]) begin
        x_9_q <= SumBits'(x_8_q);
        up_9_q <= way(up_8_q, 1'b1, up_8_i, turn_8_i, same_x_8_q);
        down_9_q <= way(down_8_q, 1'b0, up_8_i, turn_8_i, same_x_8_q);
        down_9_none_q <= down_8_q[aau_pkg::SledNone];
      end
      if (ok_i[9]) begin
        up_10_q <= longer(x_9_q, up_9_q);
        down_10_q <= longer(x_9_q, down_9_q);
        down_10_none_q <= down_9_none_q;
      end
      if (ok_i[10]) least_11_q <= down_10_none_q || up_10_q < down_10_q ? up_10_q : down_10_q;
      if (ok_i[11]) sum_12_q <= least_11_q + SumBits'(leaves_11_i);
    end
  end

  assign read_3_o = ok_i[3];
  assign x_address_3_o = x_address_3_q;
  assign y_address_3_o = y_address_3_q;
  // Rounded up to whole ticks.
  assign time_12_o = TimeBits'((sum_12_q + SumBits'((1 << aau_pkg::SledShift) - 1)) >> aau_pkg::SledShift);
endmodule
