// The commands of a batch in groups that have no stripe in common: what one group does, another cannot see.
// Within a group they keep the stream's order.
//
//   batch    a1 b1 a2 c1 b2 c2 d1        stripes  part 0: a, c   part 1: b   part 2: d
//   groups   a1 a2 c1 c2 | b1 b2 | d1
//
// A stripe belongs to one of a few parts. A command with keys in several parts joins these (union-find); each
// part without one is a group. Equal keys that follow each other in the batch do so in their group, so what
// the batch has noted of repeats stays true.

using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Loops;

namespace Cinnabar.Engine.Replication.Links;

/// <summary>Divides a batch.</summary>
internal sealed class StreamGroups(Keyspace.Keyspace keyspace)
{
    private const int PartCount = 16;

    private readonly Keyspace.Keyspace _keyspace = keyspace;
    private readonly BatchCommand[] _commands = new BatchCommand[StreamBatch.SharedCountMax];
    private readonly int[] _root = new int[PartCount];
    private readonly int[] _ends = new int[PartCount];
    private readonly int[] _starts = new int[PartCount + 1];

    /// <summary>The number of groups.</summary>
    public int Count { get; private set; }

    /// <summary>The commands of a group.</summary>
    public Span<BatchCommand> this[int group] =>
        _commands.AsSpan(_starts[group], _starts[group + 1] - _starts[group]);

    /// <summary>Divides commands of a batch; those without keys are in no group.</summary>
    public void Fill(StreamBatch batch, Span<BatchCommand> commands)
    {
        Join(batch, commands);
        _ends.AsSpan().Clear();
        foreach (ref BatchCommand command in commands)
        {
            if (command.Database >= 0)
                _ends[_root[PartOf(batch, in command)]]++;
        }

        Count = 0;
        int start = 0;
        for (int part = 0; part < PartCount; part++)
        {
            int size = _ends[part];
            _ends[part] = start;
            start += size;
            if (size > 0)
                _starts[++Count] = start;
        }

        foreach (ref BatchCommand command in commands)
        {
            if (command.Database >= 0)
                _commands[_ends[_root[PartOf(batch, in command)]]++] = command;
        }
    }

    private void Join(StreamBatch batch, Span<BatchCommand> commands)
    {
        for (int part = 0; part < PartCount; part++)
            _root[part] = part;
        foreach (ref BatchCommand command in commands)
        {
            if (command.Database < 0 || command.Spec!.IsSingleKey)
                continue;
            ArgumentList arguments = batch.Arguments(in command);
            var keys = new KeyArguments(command.Spec, arguments);
            int first = PartOf(batch, in command);
            while (keys.MoveNext())
                Join(first, PartOf(arguments[keys.Current].Hash));
        }
    }

    private void Join(int first, int second)
    {
        (int kept, int joined) = (_root[first], _root[second]);
        foreach (ref int root in _root.AsSpan())
            root = root == joined ? kept : root;
    }

    private int PartOf(StreamBatch batch, in BatchCommand command) => PartOf(batch.HashOf(in command));

    private int PartOf(ulong hash) => _keyspace.StripeIndex(hash) % PartCount;
}
