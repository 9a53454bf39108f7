using System.Collections.Generic;
using System.Globalization;

namespace Cinnabar.Load;

/// <summary>The setup of every connection before its first request.</summary>
public sealed record SessionOptions
{
    /// <summary>The user; null is the default one.</summary>
    public string? User { get; init; }

    /// <summary>The password; null: not logged in.</summary>
    public string? Password { get; init; }

    /// <summary>The database to select.</summary>
    public int Database { get; init; }

    /// <summary>Whether the session speaks RESP3 (HELLO 3).</summary>
    public bool IsResp3 { get; init; }

    /// <summary>Whether the server notes what the session reads (CLIENT TRACKING ON).</summary>
    public bool IsTracking { get; init; }

    /// <summary>The channel to subscribe to; null: none.</summary>
    public string? Channel { get; init; }

    /// <summary>The requests of the setup; a reply to one must not be an error.</summary>
    internal IEnumerable<string[]> Requests()
    {
        if (IsResp3)
            yield return Password is null ? ["HELLO", "3"]
                : ["HELLO", "3", "AUTH", User ?? "default", Password];
        else if (Password is not null)
            yield return User is null ? ["AUTH", Password] : ["AUTH", User, Password];
        if (Database != 0) yield return ["SELECT", Database.ToString(CultureInfo.InvariantCulture)];
        if (IsTracking) yield return ["CLIENT", "TRACKING", "ON"];
        if (Channel is not null) yield return ["SUBSCRIBE", Channel];
    }
}
