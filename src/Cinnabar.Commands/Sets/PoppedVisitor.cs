using Cinnabar.Keyspace.Sets;

namespace Cinnabar.Commands.Sets;

/// <summary>Replies the members that SPOP takes, and records their removal.</summary>
/// <param name="execution">SPOP's.</param>
/// <param name="isWhole">Whether it asks for all members: then the key's removal is recorded.</param>
internal struct PoppedVisitor(Execution execution, bool isWhole) : ISetVisitor
{
    // As in Redis: no command of the journal becomes too long for its readers.
    private const int BatchCountMax = 1024;

    private readonly bool _isByName = execution.Effects.IsRecording && !isWhole;
    private int _batchCount;

    public void Visit(in SetMember member)
    {
        ReplyingVisitor.Reply(execution, in member);
        if (!_isByName)
            return;
        Debug.Assert(_batchCount < BatchCountMax, "a full batch has ended");
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
