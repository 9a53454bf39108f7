using System.Collections.Generic;
using Cinnabar.Tests.Simulation.Simulating;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Simulation.Types;

/// <summary>One connection from its beginning to its end, and all that was sent on it.</summary>
internal sealed class TypedPeer : IWorkload
{
    private TypedOperation? _outgoing;

    /// <summary>Its number.</summary>
    public required int Number { get; init; }

    /// <summary>The database that it works in.</summary>
    public required int Database { get; init; }

    /// <summary>What was sent.</summary>
    public List<TypedOperation> Operations { get; } = [];

    /// <summary>The first operation that had not yet taken effect at the last quiet moment.</summary>
    public int Next { get; set; }

    /// <summary>Whether its connection has ended: the effect of unanswered commands is unknown.</summary>
    public bool IsLost { get; set; }

    /// <summary>When it may have ended at the earliest, in steps.</summary>
    public long LostFrom { get; set; } = TypedOperation.Never;

    /// <summary>When it had ended for certain, in steps.</summary>
    public long LostAt { get; set; } = TypedOperation.Never;

    /// <summary>How many of its operations have been answered.</summary>
    public int AnsweredCount { get; private set; }

    /// <summary>Called with the operation when its reply comes.</summary>
    public required System.Action<TypedPeer, TypedOperation> Answered { get; init; }

    /// <summary>The operation whose reply comes next; null: all have been answered.</summary>
    public TypedOperation? Unanswered =>
        AnsweredCount < Operations.Count ? Operations[AnsweredCount] : null;

    /// <summary>Whether it waits, when all is quiet, and is not just being connected.</summary>
    public bool IsWaiting => AnsweredCount > 0 && AnsweredCount < Operations.Count;

    /// <summary>What it sends next.</summary>
    public void Prepare(TypedOperation operation) => _outgoing = operation;

    /// <inheritdoc/>
    Request IWorkload.Next()
    {
        TypedOperation operation = _outgoing!;
        _outgoing = null;
        Operations.Add(operation);
        return new Request(operation.Bytes, operation.ReplyCount, replies =>
        {
            operation.Reply = operation.Show(replies[^1]);
            AnsweredCount++;
            Answered(this, operation);
        })
        {
            MayWait = true,
        };
    }

    /// <inheritdoc/>
    public bool TryPush(RespValue reply) => false;

    /// <inheritdoc/>
    public void Disconnect() => IsLost = true;
}
