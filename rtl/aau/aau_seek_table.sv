// Seek times: one piecewise linear curve a class of arms, loaded by firmware, and a search in it for each lane, one
// result a clock: distance in stage 3, four steps that leave a quarter of the entries each, entry, product, time in
// stage 10.
//
// The time is that of the last entry at or below the distance, plus slope times the rest; 0 for no move; below the
// first entry and from the last one on the curve is flat. It is counted modulo 2^24.
module aau_seek_table #(
  parameter int unsigned LANES = 4,
  parameter int unsigned CLASSES = 2,
  parameter int unsigned ENTRIES = 256  // power of two, 4 to 256
) (
  input  logic                clk,
  input  logic                active_i,
  input  logic                write_i,
  input  logic                write_class_i,
  input  logic [7:0]          write_entry_i,
  input  logic [23:0]         write_distance_i,
  input  logic [39:0]         write_slope_i,
  input  logic [23:0]         write_time_i,
  input  logic [2*9-1:0]      entries_i,
  input  logic                class_3_i,
  input  logic [LANES*7-1:0]  ok_i,  // of each lane: stages 3 to 9 hold a candidate
  input  logic [LANES*24-1:0] distance_3_i,
  output logic [LANES*24-1:0] time_10_o
);
  localparam int unsigned EntryBits = $clog2(ENTRIES);
  localparam int unsigned AddressBits = EntryBits + (CLASSES > 1 ? 1 : 0);
  localparam int unsigned Depth = CLASSES * ENTRIES;
  localparam int unsigned ProductBits = aau_pkg::SeekBits + aau_pkg::SlopeShift;

  logic [23:0] distance_q [Depth];
  logic [39:0] slope_q [Depth];
  logic [23:0] time_q [Depth];

  function automatic logic [AddressBits-1:0] address(input logic arm_class, input logic [7:0] entry);
    address = AddressBits'({arm_class, entry[EntryBits-1:0]});
  endfunction

  // No reset: entries in use have been written.
  always_ff @(posedge clk) begin
    if (write_i) begin
      distance_q[address(write_class_i, write_entry_i)] <= write_distance_i;
      slope_q[address(write_class_i, write_entry_i)] <= write_slope_i;
      time_q[address(write_class_i, write_entry_i)] <= write_time_i;
    end
  end

  // Entries in use.
  logic [8:0] entries_0, entries_1;
  assign entries_0 = 32'(entries_i[8:0]) > ENTRIES ? 9'(ENTRIES) : entries_i[8:0];
  assign entries_1 = 32'(entries_i[17:9]) > ENTRIES ? 9'(ENTRIES) : entries_i[17:9];

  // Class of the arm and entries of its class, with the row.
  logic class_4_q, class_5_q, class_6_q, class_7_q;
  logic [8:0] entries_3, entries_4, entries_5, entries_6, entries_7;
  always_ff @(posedge clk) begin
    if (active_i) begin
      class_4_q <= class_3_i;
      class_5_q <= class_4_q;
      class_6_q <= class_5_q;
      class_7_q <= class_6_q;
    end
  end
  assign entries_3 = class_3_i ? entries_1 : entries_0;
  assign entries_4 = class_4_q ? entries_1 : entries_0;
  assign entries_5 = class_5_q ? entries_1 : entries_0;
  assign entries_6 = class_6_q ? entries_1 : entries_0;
  assign entries_7 = class_7_q ? entries_1 : entries_0;

  // One step: which quarter, from the distances of the three entries that part them.
  function automatic logic [7:0] narrow(input logic [7:0] base, input logic [7:0] quarter, input logic [23:0] distance,
                                        input logic [8:0] entries, input logic [23:0] at_1, input logic [23:0] at_2,
                                        input logic [23:0] at_3);
    logic [9:0] entry_1, entry_2, entry_3;
    entry_1 = 10'(base) + 10'(quarter);
    entry_2 = entry_1 + 10'(quarter);
    entry_3 = entry_2 + 10'(quarter);
    if (entry_2 < 10'(entries) && at_2 <= distance) begin
      narrow = entry_3 < 10'(entries) && at_3 <= distance ? entry_3[7:0] : entry_2[7:0];
    end else begin
      narrow = entry_1 < 10'(entries) && at_1 <= distance ? entry_1[7:0] : base;
    end
  endfunction

  for (genvar lane = 0; lane < LANES; lane++) begin : g_lane
    logic [9:3] ok;
    logic [23:0] distance_3, distance_4_q, distance_5_q, distance_6_q, distance_7_q;
    logic [7:0] entry_4_q, entry_5_q, entry_6_q, entry_7_q;
    logic [23:0] rest_8_q, time_8_q, time_9_q, product_9_q, time_10_q;
    logic [39:0] slope_8_q;

    assign ok = ok_i[lane*7+:7];
    assign distance_3 = distance_3_i[lane*24+:24];
    assign time_10_o[lane*24+:24] = time_10_q;

    always_ff @(posedge clk) begin
      if (active_i) begin
        if (ok[3]) begin
          distance_4_q <= distance_3;
          entry_4_q <= ENTRIES <= 64 ? 8'd0 :
                       narrow(8'd0, 8'd64, distance_3, entries_3, distance_q[address(class_3_i, 8'd64)],
                              distance_q[address(class_3_i, 8'd128)], distance_q[address(class_3_i, 8'd192)]);
        end
        if (ok[4]) begin
          distance_5_q <= distance_4_q;
          entry_5_q <= ENTRIES <= 16 ? 8'd0 :
                       narrow(entry_4_q, 8'd16, distance_4_q, entries_4,
                              distance_q[address(class_4_q, entry_4_q + 8'd16)],
                              distance_q[address(class_4_q, entry_4_q + 8'd32)],
                              distance_q[address(class_4_q, entry_4_q + 8'd48)]);
        end
        if (ok[5]) begin
          distance_6_q <= distance_5_q;
          entry_6_q <= ENTRIES <= 4 ? 8'd0 :
                       narrow(entry_5_q, 8'd4, distance_5_q, entries_5,
                              distance_q[address(class_5_q, entry_5_q + 8'd4)],
                              distance_q[address(class_5_q, entry_5_q + 8'd8)],
                              distance_q[address(class_5_q, entry_5_q + 8'd12)]);
        end
        if (ok[6]) begin
          distance_7_q <= distance_6_q;
          entry_7_q <= narrow(entry_6_q, 8'd1, distance_6_q, entries_6,
                              distance_q[address(class_6_q, entry_6_q + 8'd1)],
                              distance_q[address(class_6_q, entry_6_q + 8'd2)],
                              distance_q[address(class_6_q, entry_6_q + 8'd3)]);
        end
        if (ok[7]) begin
          rest_8_q <= distance_7_q - distance_q[address(class_7_q, entry_7_q)];
          slope_8_q <= entries_7 <= 9'(entry_7_q) + 9'd1 || distance_7_q < distance_q[address(class_7_q, entry_7_q)] ?
                       '0 : slope_q[address(class_7_q, entry_7_q)];
          time_8_q <= entries_7 == '0 || distance_7_q == '0 ? '0 : time_q[address(class_7_q, entry_7_q)];
        end
        if (ok[8]) begin
          // The slope is signed; of the product only bits 47:24 count.
          product_9_q <= 24'((ProductBits'(rest_8_q) * ProductBits'($signed(slope_8_q))) >> aau_pkg::SlopeShift);
          time_9_q <= time_8_q;
        end
        if (ok[9]) time_10_q <= time_9_q + product_9_q;
      end
    end
  end
endmodule
