using System.Runtime.Versioning;
using Cinnabar.Engine.Sessions;
using Cinnabar.Transport.Epoll;

namespace Cinnabar.Transport.Uring;

/// <summary>The kernel itself.</summary>
[SupportedOSPlatform("linux")]
internal sealed unsafe class LinuxKernel : UringKernel
{
    private const nint FailedMapping = -1;
    private const int DomainUnix = 1;
    private const int TypeStream = 1;

    public override int Setup(uint count, UringParameters* parameters) =>
        ResultOf(UringCalls.Setup(UringCalls.SetupNumber, count, parameters));

    public override int Map(int ring, nuint length, long offset, out byte* place)
    {
        place = UringCalls.Map(
            null, length, UringCalls.MapReadWrite, UringCalls.MapSharedPopulated, ring, offset);
        if ((nint)place != FailedMapping)
            return 0;
        place = null;
        return -Marshal.GetLastPInvokeError();
    }

    public override void Unmap(byte* place, nuint length)
    {
        int result = UringCalls.Unmap(place, length);
        Debug.Assert(result == 0, "what was mapped is unmapped whole");
    }

    public override int Register(int ring, uint operation, void* argument, uint count) =>
        ResultOf(UringCalls.Register(UringCalls.RegisterNumber, ring, operation, argument, count));

    public override int Enter(int ring, uint submittedCount, uint completionCount, int timeoutMs)
    {
        if (completionCount == 0 || timeoutMs < 0)
        {
            return ResultOf(UringCalls.Enter(UringCalls.EnterNumber, ring, submittedCount, completionCount,
                UringCalls.EnterGetEvents, null, 0));
        }

        UringWaitLimit limit = default;
        UringWaitLimit.Set(&limit, timeoutMs);
        return ResultOf(UringCalls.Enter(UringCalls.EnterNumber, ring, submittedCount, completionCount,
            UringCalls.EnterGetEvents | UringCalls.EnterWaitArgument, &limit, UringWaitLimit.ArgumentSize));
    }

    public override long Send(int descriptor, OutputSegment* segments, int count, out bool isAll) =>
        EpollSending.Send(descriptor, segments, count, out isAll);

    public override bool HasGone(int descriptor)
    {
        var polled = new PolledDescriptor { Descriptor = descriptor };
        return UringCalls.Poll(&polled, 1, 0) > 0
            && ((uint)polled.Events & (EpollCalls.Error | EpollCalls.HangUp)) != 0;
    }

    public override void SetUp(int descriptor, ListenerOptions options) => options.Apply(descriptor);

    public override int MakePair(int* descriptors) => ResultOf(
        UringCalls.SocketPair(DomainUnix, TypeStream | EpollCalls.CloseOnExec, 0, descriptors));

    public override void Close(int descriptor) => EpollCalls.Close(descriptor);

    // A blocking one: the ring answers for one that does not block that there is nothing yet.
    public override int MakeEvent() => ResultOf(EpollCalls.EventDescriptor(0, EpollCalls.CloseOnExec));

    public override long NowMs => Environment.TickCount64;

    public override long NowTicks => Stopwatch.GetTimestamp();

    public override int FindLowest(int descriptor) => SpareDescriptors.FindLowest(descriptor);

    public override void SignalEvent(int descriptor)
    {
        ulong one = 1;
        EpollCalls.Write(descriptor, (byte*)&one, sizeof(ulong));
    }

    private static int ResultOf(nint result) =>
        result < 0 ? -Marshal.GetLastPInvokeError() : (int)result;
}
