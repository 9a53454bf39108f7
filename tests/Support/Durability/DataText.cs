using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Support.Durability;

/// <summary>All data of a server as lines that can be compared, deadlines and groups of streams
/// included.</summary>
public static class DataText
{
    private const int DatabaseCount = 16;

    // Redis records neither when a consumer was seen nor that it read again what is pending with it, nor a
    // client's second attempt to add an entry. How entries lie in pages hangs on what was cut off when.
    private static readonly string[] s_skipped =
    [
        "seen-time", "active-time", "radix-tree-keys", "radix-tree-nodes", "iids-added", "iids-tracked",
        "iids-duplicates", "pids-tracked",
    ];

    // What older versions do not know.
    private static readonly string[] s_newer =
    [
        "entries-added", "entries-read", "lag", "max-deleted-entry-id",
        "recorded-first-entry-id", "idmp-duration", "idmp-maxsize", "last-generated-id",
    ];

    // How many entries are behind a group is computed, and by each version in its own way.
    private static readonly string[] s_notOfRedis70 = ["idmp-duration", "idmp-maxsize", "lag"];

    /// <summary>The lines.</summary>
    /// <param name="call">Asks the server.</param>
    /// <param name="detail">What counts.</param>
    /// <param name="hasDigest">Whether the digest of everything is the last line. That of redis-server is
    /// another since 7.2 where a score has a fraction.</param>
    public static List<string> Of(
        Func<string[], RespValue> call, DataDetail detail, bool hasDigest = true)
    {
        List<string> lines = [];
        for (int database = 0; database < DatabaseCount; database++)
        {
            call(["SELECT", $"{database}"]);
            foreach (string key in Texts(call(["KEYS", "*"])))
                lines.Add($"{database} {key}: {OfKey(call, key, detail)}");
        }

        call(["SELECT", "0"]);
        if (hasDigest)
            lines.Add(call(["DEBUG", "DIGEST"]).Text);
        return lines;
    }

    private static string[] Texts(RespValue reply) =>
        [.. reply.Items.Select(static item => item.Text).Order(StringComparer.Ordinal)];

    private static string OfKey(Func<string[], RespValue> call, string key, DataDetail detail)
    {
        string type = call(["TYPE", key]).Text;
        string value = type == "zset" ? Members(call(["ZRANGE", key, "0", "-1", "WITHSCORES"]))
            : call(["DEBUG", "DIGEST-VALUE", key]).ToString();
        string text = $"{type} {call(["PEXPIRETIME", key])} {value}";
        if (type == "hash" && detail is (DataDetail.Whole or DataDetail.Older))
        {
            string[] fields = Texts(call(["HKEYS", key]));
            return $"{text} {call(["HPEXPIRETIME", key, "FIELDS", $"{fields.Length}", .. fields])}";
        }

        return type == "stream"
            ? $"{text} {OfPart(call(["XINFO", "STREAM", key, "FULL", "COUNT", "0"]), detail)}"
            : text;
    }

    // Scores as numbers: servers write them in their own ways.
    private static string Members(RespValue reply) => string.Join(' ', reply.Items.Select(
        static (item, index) => index % 2 == 0 ? item.Text : Score(item.Text)));

    private static string Score(string text) => text is "inf" or "-inf"
        ? text
        : double.Parse(text, CultureInfo.InvariantCulture).ToString("R", CultureInfo.InvariantCulture);

    // A map as an array: names and values.
    private static string OfPart(RespValue part, DataDetail detail)
    {
        if (part.Items.Count == 0)
            return part.ToString();
        List<string> texts = [];
        bool isMap = part.Items.Count % 2 == 0 && part.Items[0].Items.Count == 0;
        for (int index = 0; index < part.Items.Count; index++)
        {
            string name = isMap && index % 2 == 0 ? part.Items[index].Text : "";
            if (IsSkipped(name, detail))
                index++;
            else if (name == "pel" || name == "pending")
                texts.Add($"{name} {OfPending(part.Items[++index])}");
            else
                texts.Add(OfPart(part.Items[index], detail));
        }

        return $"[{string.Join(", ", texts)}]";
    }

    private static bool IsSkipped(string name, DataDetail detail) => s_skipped.Contains(name) || detail switch
    {
        DataDetail.Older => s_newer.Contains(name),
        DataDetail.Redis70 => s_notOfRedis70.Contains(name),
        DataDetail.Redis70Journal => name == "entries-read" || s_notOfRedis70.Contains(name),
        _ => false,
    };

    // IDs and consumers: times and counts are those of deliveries, see above.
    private static string OfPending(RespValue pending) => string.Join(' ', pending.Items.Select(item =>
        string.Join('/', item.Items.Where(part => part.Kind == '$').Select(part => part.Text))));
}
