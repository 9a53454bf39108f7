using System;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Simulation.Types;

/// <summary>A command or transaction that a client has sent, and what came of it.</summary>
internal sealed class TypedOperation
{
    /// <summary>The end of time: it has not happened.</summary>
    public const long Never = long.MaxValue;

    /// <summary>The commands in RESP.</summary>
    public required byte[] Bytes { get; init; }

    /// <summary>Number of replies; the last one counts.</summary>
    public required int ReplyCount { get; init; }

    /// <summary>It in words.</summary>
    public required string Text { get; init; }

    /// <summary>Its meaning: its reply; null: it waits.</summary>
    public required Func<ModelRun, string?> Run { get; init; }

    /// <summary>How its reply is shown.</summary>
    public required Func<RespValue, string> Show { get; init; }

    /// <summary>How long it waits at most, in milliseconds; 0: for ever.</summary>
    public long TimeoutMs { get; init; }

    /// <summary>When it was sent, in steps.</summary>
    public long SentAt { get; set; } = Never;

    /// <summary>The same by the clock, Unix milliseconds.</summary>
    public long SentMs { get; set; }

    /// <summary>When it was first seen to wait for a key, in steps.</summary>
    public long BlockedAt { get; set; } = Never;

    /// <summary>The same by the clock, Unix milliseconds; the latest that it may have begun to.</summary>
    public long BlockedMs { get; set; }

    /// <summary>When its reply was read, in steps.</summary>
    public long ReturnedAt { get; set; } = Never;

    /// <summary>The same by the clock, Unix milliseconds.</summary>
    public long ReturnedMs { get; set; }

    /// <summary>Its reply; null: none has come.</summary>
    public string? Reply { get; set; }

    /// <summary>Whether it was refused because of what ran for long: nothing happened.</summary>
    public bool IsRefused => Reply is Shown.Busy or Shown.BusyTransaction;

    /// <summary>An operation that is one command.</summary>
    public static TypedOperation Of(TypedCommand command) => new()
    {
        Bytes = RespClient.Encode(command.Words),
        ReplyCount = 1,
        Text = string.Join(' ', command.Words),
        Run = command.Run,
        Show = command.Show,
        TimeoutMs = command.TimeoutMs,
    };

    /// <inheritdoc/>
    public override string ToString() => $"[{SentAt}, {(BlockedAt == Never ? "" : $"waits {BlockedAt}, ")}"
        + $"{(ReturnedAt == Never ? "" : ReturnedAt)}] "
        + $"{Request.Short(Text)} -> {Request.Short(Reply ?? "?")}";
}
