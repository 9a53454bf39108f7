using Cinnabar.Keyspace.Sets;

namespace Cinnabar.Commands.Sets;

/// <summary>Replies the members that SPOP takes, and records their removal.</summary>
/// <param name="execution">SPOP's.</param>
/// <param name="count">How many it takes.</param>
/// <param name="isAll">Whether these are all.</param>
internal struct PoppedVisitor(Execution execution, long count, bool isAll) : ISetVisitor
{
    // As in Redis: no command of the journal becomes too long for its readers.
    private const int BatchCountMax = 1024;

    private readonly bool _isByName = execution.Effects.IsRecording && (!isAll || count == 1);
    private int _batchCount;

    public void Visit(in SetMember member)
    {
        ReplyingVisitor.Reply(execution, in member);
        if (!_isByName)
            return;
        if (_batchCount++ == 0)
            execution.Effects.Begin("SREM"u8).With(execution.Argument(1));
        execution.Effects.With(member.AsText(stackalloc byte[SetMember.ScratchSize]));
        if (_batchCount == BatchCountMax)
            EndBatch();
    }

    /// <summary>Ends what is recorded.</summary>
    public void End()
    {
        if (_batchCount != 0)
            EndBatch();
        else if (execution.Effects.IsRecording && !_isByName)
            execution.Effects.Begin("DEL"u8).End(execution.Argument(1));
    }

    private void EndBatch()
    {
        execution.Effects.End();
        _batchCount = 0;
    }
}
