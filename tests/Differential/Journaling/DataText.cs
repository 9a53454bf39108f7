using System.Collections.Generic;
using System.Linq;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Differential.Journaling;

/// <summary>All data of a server as lines that can be compared, deadlines and groups of streams
/// included.</summary>
internal static class DataText
{
    private const int DatabaseCount = 16;

    // Redis records neither when a consumer was seen nor that it read again what is pending with it, nor a
    // client's second attempt to add an entry. How entries lie in pages hangs on what was cut off when.
    private static readonly HashSet<string> s_skipped =
    [
        "seen-time", "active-time", "radix-tree-keys", "radix-tree-nodes", "iids-added", "iids-tracked",
        "iids-duplicates", "pids-tracked",
    ];

    // What older versions do not know.
    private static readonly HashSet<string> s_newer =
    [
        "entries-added", "entries-read", "lag", "max-deleted-entry-id", "recorded-first-entry-id",
        "idmp-duration", "idmp-maxsize", "last-generated-id",
    ];

    /// <summary>The lines.</summary>
    /// <param name="client">Of the server.</param>
    /// <param name="isWhole">Whether what older versions do not know counts.</param>
    public static List<string> Of(TestClient client, bool isWhole)
    {
        List<string> lines = [];
        for (int database = 0; database < DatabaseCount; database++)
        {
            client.Call("SELECT", $"{database}");
            foreach (string key in client.Call("KEYS", "*").Items.Select(item => item.Text).Order())
                lines.Add($"{database} {key}: {OfKey(client, key, isWhole)}");
        }

        client.Call("SELECT", "0");
        lines.Add(client.Call("DEBUG", "DIGEST").Text);
        return lines;
    }

    private static string OfKey(TestClient client, string key, bool isWhole)
    {
        string type = client.Call("TYPE", key).Text;
        string text = $"{type} {client.Call("PEXPIRETIME", key)} {client.Call("DEBUG", "DIGEST-VALUE", key)}";
        if (type == "hash")
        {
            string[] fields = [.. client.Call("HKEYS", key).Items.Select(item => item.Text).Order()];
            return $"{text} " + client.Call(["HPEXPIRETIME", key, "FIELDS", $"{fields.Length}", .. fields]);
        }

        return type == "stream"
            ? $"{text} {OfPart(client.Call("XINFO", "STREAM", key, "FULL", "COUNT", "0"), isWhole)}"
            : text;
    }

    // A map as an array: names and values.
    private static string OfPart(RespValue part, bool isWhole)
    {
        if (part.Items.Count == 0)
            return part.ToString();
        List<string> texts = [];
        bool isMap = part.Items.Count % 2 == 0 && part.Items[0].Items.Count == 0;
        for (int index = 0; index < part.Items.Count; index++)
        {
            string name = isMap && index % 2 == 0 ? part.Items[index].Text : "";
            if (s_skipped.Contains(name) || (!isWhole && s_newer.Contains(name)))
                index++;
            else if (name == "pel" || name == "pending")
                texts.Add($"{name} {OfPending(part.Items[++index])}");
            else
                texts.Add(OfPart(part.Items[index], isWhole));
        }

        return $"[{string.Join(", ", texts)}]";
    }

    // IDs and consumers: times and counts are those of deliveries, see above.
    private static string OfPending(RespValue pending) => string.Join(' ', pending.Items.Select(item =>
        string.Join('/', item.Items.Where(part => part.Kind == '$').Select(part => part.Text))));
}
