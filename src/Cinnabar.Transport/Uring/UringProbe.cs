// Whether a ring can be used here. Containers forbid its calls, systems switch it off
// (kernel.io_uring_disabled), and kernels before 6.1 do not know what is needed. The flags are tried by
// making a ring, and then a receive of many completions over a pair of sockets: that a ring can be made says
// nothing of the calls that use it.

using System.ComponentModel;
using System.Runtime.Versioning;
using Cinnabar.Engine.Sessions;
using Cinnabar.Transport.Epoll;

namespace Cinnabar.Transport.Uring;

/// <summary>Tries io_uring.</summary>
[SupportedOSPlatform("linux")]
internal static unsafe class UringProbe
{
    private const int MessageCount = 2;
    private const int EnterCountMax = 1000;

    /// <summary>Makes what the transports of a server's loops are made of.</summary>
    /// <param name="kernel">The kernel.</param>
    /// <param name="sizes">How large the rings are.</param>
    /// <param name="count">How many.</param>
    /// <param name="obstacle">Why there are none, for people.</param>
    /// <returns>Null where io_uring cannot be used.</returns>
    public static UringSystem[]? TryMakeSystems(
        UringKernel kernel, UringSizes sizes, int count, out string obstacle)
    {
        if (TryMakeRings(kernel, sizes, count, out obstacle) is not { } rings)
            return null;
        var systems = new List<UringSystem>();
        foreach (UringRing ring in rings)
        {
            if (UringWakeUp.TryMake(kernel, ring, out int error) is { } wakeUp)
            {
                systems.Add(new UringSystem(kernel, ring, wakeUp, sizes));
                continue;
            }

            obstacle = Marshal.GetPInvokeErrorMessage(error);
            break;
        }

        if (systems.Count == count)
            return [.. systems];
        foreach (UringSystem system in systems)
            system.Dispose();
        foreach (UringRing ring in rings.AsSpan(systems.Count))
            ring.Dispose();
        return null;
    }

    /// <summary>Makes the rings of a server's loops.</summary>
    /// <param name="kernel">The kernel.</param>
    /// <param name="sizes">How large they are.</param>
    /// <param name="count">How many.</param>
    /// <param name="obstacle">Why there are none, for people.</param>
    /// <returns>Null where io_uring cannot be used.</returns>
    public static UringRing[]? TryMakeRings(
        UringKernel kernel, UringSizes sizes, int count, out string obstacle)
    {
        int error = Try(kernel);
        var rings = new List<UringRing>();
        while (error == 0 && rings.Count < count)
        {
            if (UringRing.TryMake(kernel, sizes, out error) is { } ring)
                rings.Add(ring);
        }

        obstacle = error == 0 ? "" : Marshal.GetPInvokeErrorMessage(error);
        if (error == 0)
            return [.. rings];
        foreach (UringRing ring in rings)
            ring.Dispose();
        return null;
    }

    /// <summary>Receives over a pair of sockets, once.</summary>
    /// <returns>0 where all is as it should be, or an error: a number of errno.</returns>
    private static int Try(UringKernel kernel)
    {
        var sizes = new UringSizes
        {
            SubmissionCount = 8,
            CompletionCount = 16,
            BufferCount = 8,
            BufferSize = 64,
        };
        int* pair = stackalloc int[2];
        int error = -kernel.MakePair(pair);
        if (error != 0)
            return error;
        if (UringRing.TryMake(kernel, sizes, out error) is { } ring)
        {
            error = Receive(kernel, ring, pair);
            ring.Dispose();
        }
        else
        {
            kernel.Close(pair[1]);
        }

        kernel.Close(pair[0]);
        return error;
    }

    /// <summary>Receives from a pair of sockets, and closes the second one, the sender.</summary>
    private static int Receive(UringKernel kernel, UringRing ring, int* pair)
    {
        int error;
        try
        {
            ring.Enable();
            error = Receive(kernel, ring, pair[0], pair[1]);
        }
        catch (Win32Exception fault)
        {
            error = fault.NativeErrorCode;
        }

        kernel.Close(pair[1]);
        try
        {
            // The receive ends with its peer. Where a call has failed the kernel ends it, with the ring.
            while (error == 0 && ring.InFlight > 0)
            {
                if (!TryWait(ring, out _))
                    error = EpollCalls.Again;
            }
        }
        catch (Win32Exception fault)
        {
            error = fault.NativeErrorCode;
        }

        return error;
    }

    // A call that lacks memory, or would have to wait, is made again: not for ever.
    private static bool TryWait(UringRing ring, out UringCompletion completion)
    {
        for (int count = 0; count < EnterCountMax; count++)
        {
            if (ring.TryRead(out completion))
                return true;
            ring.Enter(1, -1);
        }

        return ring.TryRead(out completion);
    }

    private static int Receive(UringKernel kernel, UringRing ring, int receiver, int sender)
    {
        // SAFETY: the entry is filled before the ring is used for anything else.
        UringSubmission* submission = ring.Prepare(
            UringCalls.OpReceive, receiver, new UringMark(UringOperation.Receive, receiver));
        submission->Flags = UringCalls.SubmissionSelectsBuffer;
        submission->SocketFlags = UringCalls.ReceiveMultishot;
        submission->BufferGroup = UringBuffers.Group;
        for (int count = 0; count < MessageCount; count++)
        {
            byte one = 1;
            var segment = new OutputSegment { Data = &one, Length = 1 };
            if (kernel.Send(sender, &segment, 1, out _) != 1)
                return UringCalls.Invalid;
            if (!TryWait(ring, out UringCompletion completion))
                return EpollCalls.Again;
            if (completion.Result < 0)
                return -completion.Result;
            if (completion.Result != 1 || !completion.HasMore || completion.Buffer < 0)
                return UringCalls.Invalid;
        }

        return 0;
    }
}
