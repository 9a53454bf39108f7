/// What the lab's stations do on a signal.
module Cinnabar.Lab.Fredis.Signals

open System
open System.Runtime.InteropServices

// SIGUSR1 has no name in .NET, but a number, which systems do not agree on.
let private collectSignal =
    enum<PosixSignal> (if OperatingSystem.IsMacOS() then 30 else 10)

let private on signal action =
    PosixSignalRegistration.Create(
        signal,
        fun occurrence ->
            occurrence.Cancel <- true
            action ()
    )

/// SIGTERM and SIGINT.
let onEnd action =
    [ on PosixSignal.SIGTERM action; on PosixSignal.SIGINT action ]

// The counts are from before the forced collection; only the last number shows its effect.
let private collect () =
    let counts = [ for generation in 0..2 -> $"gen{generation}={GC.CollectionCount generation}" ]
    let pauseMs = GC.GetTotalPauseDuration().TotalMilliseconds
    let heapBytes = GC.GetTotalMemory false
    GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking = true, compacting = true)
    let collectedHeapBytes = GC.GetTotalMemory false

    Console.Out.WriteLine(
        $"gc {String.Join(' ', counts)} pauseMs={pauseMs:F3} heapBytes={heapBytes} "
        + $"collectedHeapBytes={collectedHeapBytes}"
    )

/// SIGUSR1: collects all garbage and prints a line, as every managed station of the lab does.
let onCollect () =
    if OperatingSystem.IsWindows() then
        []
    else
        [ on collectSignal collect ]
