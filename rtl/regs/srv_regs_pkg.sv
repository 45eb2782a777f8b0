// Generated from rtl/regs/srv.rdl (sha256 94486f470a1e04be5a2ecbc57682ecbc45496c9b18dc9a9989c4ebf0d840c221). Do not edit: ./armature gen regs
package srv_regs_pkg;
  // Target track
  localparam int unsigned TargetOffset = 32'h0;
  localparam int unsigned TargetCylinderLsb = 0;
  localparam int unsigned TargetCylinderWidth = 23;
  localparam int unsigned TargetHeadLsb = 23;
  localparam int unsigned TargetHeadWidth = 8;
  // Control
  localparam int unsigned CtrlOffset = 32'h4;
  localparam int unsigned CtrlTagLsb = 0;
  localparam int unsigned CtrlTagWidth = 10;
  localparam int unsigned CtrlWriteLsb = 16;
  localparam int unsigned CtrlWriteWidth = 1;
  localparam int unsigned CtrlAnonymousLsb = 17;
  localparam int unsigned CtrlAnonymousWidth = 1;
  localparam int unsigned CtrlLoadLsb = 18;
  localparam int unsigned CtrlLoadWidth = 1;
  localparam int unsigned CtrlUnloadLsb = 19;
  localparam int unsigned CtrlUnloadWidth = 1;
  localparam int unsigned CtrlSettleLsb = 20;
  localparam int unsigned CtrlSettleWidth = 1;
  localparam int unsigned CtrlSubHeadLsb = 21;
  localparam int unsigned CtrlSubHeadWidth = 2;
  localparam int unsigned CtrlQuietLsb = 23;
  localparam int unsigned CtrlQuietWidth = 1;
  localparam int unsigned CtrlReleaseLsb = 24;
  localparam int unsigned CtrlReleaseWidth = 1;
  localparam int unsigned CtrlGoLsb = 31;
  localparam int unsigned CtrlGoWidth = 1;
  // Status
  localparam int unsigned StatusOffset = 32'h8;
  localparam int unsigned StatusCylinderLsb = 0;
  localparam int unsigned StatusCylinderWidth = 23;
  localparam int unsigned StatusHeadLsb = 23;
  localparam int unsigned StatusHeadWidth = 8;
  localparam int unsigned StatusOnTrackLsb = 31;
  localparam int unsigned StatusOnTrackWidth = 1;
  // Interrupt status
  localparam int unsigned IntstatOffset = 32'hc;
  localparam int unsigned IntstatReadyLsb = 0;
  localparam int unsigned IntstatReadyWidth = 1;
  localparam int unsigned IntstatErrorLsb = 1;
  localparam int unsigned IntstatErrorWidth = 1;
  localparam int unsigned IntstatFaultLsb = 2;
  localparam int unsigned IntstatFaultWidth = 1;
  localparam int unsigned IntstatHeadFaultLsb = 3;
  localparam int unsigned IntstatHeadFaultWidth = 1;
  // Interrupt enable
  localparam int unsigned IntenOffset = 32'h10;
  localparam int unsigned IntenReadyLsb = 0;
  localparam int unsigned IntenReadyWidth = 1;
  localparam int unsigned IntenErrorLsb = 1;
  localparam int unsigned IntenErrorWidth = 1;
  localparam int unsigned IntenFaultLsb = 2;
  localparam int unsigned IntenFaultWidth = 1;
  localparam int unsigned IntenHeadFaultLsb = 3;
  localparam int unsigned IntenHeadFaultWidth = 1;
  // Parking
  localparam int unsigned ParkingOffset = 32'h14;
  localparam int unsigned ParkingParkedLsb = 0;
  localparam int unsigned ParkingParkedWidth = 1;
  localparam int unsigned ParkingRampLsb = 1;
  localparam int unsigned ParkingRampWidth = 1;
  localparam int unsigned ParkingReleasedLsb = 2;
  localparam int unsigned ParkingReleasedWidth = 1;
endpackage
