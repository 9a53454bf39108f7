using System;
using System.Linq;
using Cinnabar.Tests.Differential.Streams;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Differential.StreamType;

/// <summary>
/// Replies made comparable: without what depends on the clock or the inside of a server, and without what
/// Redis has added since 7.0.
/// </summary>
internal static class StreamReplies
{
    // Redis keeps a node all of whose entries were trimmed one by one: StreamNodeTests count before that.
    private static readonly string[] s_dropped =
        ["seen-time", "active-time", "idle", "inactive", "radix-tree-nodes", "radix-tree-keys",
            "idmp-duration", "idmp-maxsize", "pids-tracked", "iids-tracked", "iids-added", "iids-duplicates"];

    // Redis 7.4.2 and 8.0 count better what is left to a group of a stream that was trimmed.
    private static readonly string[] s_dropped74 = ["lag", "entries-read"];

    /// <summary>Whether it is the error that XSETID has since Redis 7.2.</summary>
    internal static bool IsNewerRefusal(RespValue reply) =>
        reply.Text == "ERR The ID specified in XSETID is smaller than current max_deleted_entry_id";

    /// <summary>What is compared of a reply to a command.</summary>
    internal static string Comparable(string[] words, RespValue reply)
    {
        string name = words[0].ToUpperInvariant();
        if (name == "XINFO") return Info(reply);
        if (name == "XPENDING" && words.Length > 3) return Pending(reply);
        // Since Redis 7.2 this names the command, and since 7.4 other IDs; "+" is one of them.
        string text = reply.ToString();
        if (text.StartsWith("-ERR The + ID is meaningless", StringComparison.Ordinal))
            return "-ERR Invalid stream ID specified as stream command argument";
        return text.StartsWith("-ERR Unbalanced", StringComparison.Ordinal) ? "-ERR Unbalanced" : text;
    }

    private static string Pending(RespValue reply) => reply.Items.Count == 0
        ? reply.ToString()
        : string.Join(' ', reply.Items.Select(static item =>
            $"{item.Items[0]} {item.Items[1]} {StreamGroups.RoughIdle(item.Items[2])} {item.Items[3]}"));

    // Fields by name, whatever their map is called.
    private static string Info(RespValue value)
    {
        if (value.Items.Count == 0) return value.ToString();
        bool isMap = value.Items.Count % 2 == 0
            && value.Items.Where((_, index) => index % 2 == 0).All(static item => IsField(item));
        if (!isMap) return $"{value.Kind}[{string.Join(", ", value.Items.Select(Info))}]";
        string text = "";
        for (int index = 0; index < value.Items.Count; index += 2)
        {
            string field = value.Items[index].Text;
            if (s_dropped.Contains(field) || s_dropped74.Contains(field)) continue;
            RespValue content = value.Items[index + 1];
            bool isPending = field == "pending" && content.Kind == '*';
            text += $"{field}={(isPending ? Times(content) : Info(content))} ";
        }
        return $"{value.Kind}({text})";
    }

    private static bool IsField(RespValue item) => item.Kind == '$'
        && item.Text is "name" or "length" or "groups" or "entries" or "consumers" or "pending" or "idle"
            or "inactive" or "seen-time" or "active-time" or "pel-count" or "lag" or "entries-read"
            or "last-delivered-id" or "last-generated-id" or "max-deleted-entry-id" or "entries-added"
            or "recorded-first-entry-id" or "first-entry" or "last-entry" or "radix-tree-keys"
            or "radix-tree-nodes" or "idmp-duration" or "idmp-maxsize" or "pids-tracked" or "iids-tracked"
            or "iids-added" or "iids-duplicates";

    // Pending entries without their time of delivery.
    private static string Times(RespValue pending) => string.Join(' ', pending.Items.Select(static item =>
        string.Join(',', item.Items.Where((_, index) => index != item.Items.Count - 2))));
}
