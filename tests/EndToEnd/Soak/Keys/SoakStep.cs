using System;
using System.Linq;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Soak.Keys;

/// <summary>A command and the reply that it must get.</summary>
/// <param name="Command">Its words.</param>
/// <param name="Reply">The reply as <see cref="RespValue.ToString"/> has it; that of an array without an
/// order is in <see cref="Groups"/>.</param>
internal sealed record SoakStep(string[] Command, string Reply)
{
    /// <summary>What an array must hold in any order; null: <see cref="Reply"/> is the whole reply.</summary>
    public string[]? Groups { get; private init; }

    /// <summary>How many items of the array are one of the groups: two of a hash.</summary>
    public int GroupSize { get; private init; } = 1;

    /// <summary>A step whose reply is an array of groups in any order.</summary>
    public static SoakStep Unordered(string[] command, int groupSize, params string[] groups) =>
        new(command, "") { Groups = groups, GroupSize = groupSize };

    /// <summary>The array of these replies.</summary>
    public static string Array(params string[] items) =>
        items.Length == 0 ? "*" : $"*[{string.Join(", ", items)}]";

    /// <summary>The bulk string of a value; null: the null reply.</summary>
    public static string Bulk(string? value) => value is null ? "_" : "$" + value;

    /// <summary>Fails where the reply is another.</summary>
    public void Check(RespValue reply)
    {
        if (Groups is null)
        {
            string found = reply.ToString();
            Assert.True(found == Reply, $"{Shortened(string.Join(' ', Command))} got {Shortened(found)}, "
                + $"not {Shortened(Reply)}");
            return;
        }

        string[] groups = [.. reply.Items.Select(static item => item.ToString()).Chunk(GroupSize)
            .Select(static chunk => string.Join(", ", chunk)).Order(StringComparer.Ordinal)];
        Assert.Equal(Groups.Order(StringComparer.Ordinal), groups);
    }

    private static string Shortened(string text) => text.Length <= 300 ? text
        : $"{text[..200]}…{text[^100..]} ({text.Length} characters)";
}
