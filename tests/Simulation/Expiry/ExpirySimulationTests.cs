using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Cinnabar.Commands;
using Cinnabar.Tests.Simulation.Simulating;
using Cinnabar.Tests.Simulation.Types;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Simulation.Expiry;

/// <summary>Loops without a client to serve sleep until the next deadline and no longer, whichever loop has
/// set it.</summary>
public sealed class ExpirySimulationTests
{
    private const int Rounds = 20;
    private const int KeyCount = 200;
    private const int RunCountMax = 100;
    private const long FarMs = 5000;
    private const long LateUsMax = 1000;

    [Fact]
    public void IdleLoopsWakeForTheNextDeadline() => Seeded.Run(Rounds, static seed =>
    {
        var dice = new Dice(seed);
        // The cron would wake the loops, too.
        var server = new SimulatedServer(dice.Next(), new SimulationOptions(),
            [Execution.LoopCostNsDefault], disk: null, ("hz", "1"), ("dynamic-hz", "no"));
        SimulatedConnection connection = server.Transports[server.RandomLoop()].Open("127.0.0.1:1000");
        List<long> deadlinesMs = [];
        for (int key = 0; key < KeyCount; key++)
        {
            // A later deadline than those before, or an earlier one, which moves the instant to wake at.
            long deadlineMs = (server.Clock.UnixMicroseconds / 1000) + 2 + dice.Below((int)FarMs);
            deadlinesMs.Add(deadlineMs);
            connection.Inbound.AddRange(Request.Any(["SET", $"k{key}", "v", "PXAT", $"{deadlineMs}"]).Bytes);
            server.Deliver(connection, 1 << 20);
            RunDue(server, deadlinesMs);
            if (dice.OneIn(4))
                Sleep(server, dice, deadlinesMs);
        }

        while (server.Engine.Keyspace.Count(0) > 0)
            Sleep(server, dice, deadlinesMs);
        server.CloseAll();
        server.DisposeAndCheck();
    });

    private static void Sleep(SimulatedServer server, Dice dice, List<long> deadlinesMs)
    {
        server.Clock.Advance(1 + dice.Below(dice.OneIn(3) ? 40_000 : 3000));
        RunDue(server, deadlinesMs);
    }

    // Every loop that does not sleep runs; then no key is left whose deadline was more than the resolution of
    // a wait ago.
    private static void RunDue(SimulatedServer server, List<long> deadlinesMs)
    {
        for (int run = 0; !server.IsQuiet; run++)
        {
            if (run == RunCountMax)
                throw new InvalidDataException("A loop finds no end.");
            server.RunAll();
        }

        long nowUs = server.Clock.UnixMicroseconds;
        long count = deadlinesMs.Count(deadlineMs => (deadlineMs * 1000) + LateUsMax > nowUs);
        long leftCount = server.Engine.Keyspace.Count(0);
        if (leftCount > count)
            throw new InvalidDataException($"{leftCount - count} keys are past their deadline");
    }
}
