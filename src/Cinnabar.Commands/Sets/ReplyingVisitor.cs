using Cinnabar.Keyspace.Sets;

namespace Cinnabar.Commands.Sets;

/// <summary>Replies the members that it is shown, or those of them that match a pattern, as bulk
/// strings.</summary>
/// <param name="execution">Whose reply.</param>
/// <param name="patternIndex">The argument that is the pattern; 0: none.</param>
internal struct ReplyingVisitor(Execution execution, int patternIndex = 0) : ISetVisitor
{
    /// <summary>How many were replied.</summary>
    public long Count { get; private set; }

    public void Visit(in SetMember member)
    {
        if (patternIndex != 0 && !Matches(in member))
            return;
        Count++;
        Reply(execution, in member);
    }

    /// <summary>Replies one member.</summary>
    public static void Reply(Execution execution, in SetMember member)
    {
        if (member.IsInteger)
            execution.Reply.BulkInteger(member.Integer);
        else
            execution.Reply.Bulk(member.Text);
    }

    private readonly bool Matches(in SetMember member) => GlobPattern.Matches(
        execution.Argument(patternIndex), member.AsText(stackalloc byte[SetMember.ScratchSize]));
}
