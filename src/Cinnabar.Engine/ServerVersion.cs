using System.Reflection;

namespace Cinnabar.Engine;

/// <summary>The versions that the server reports.</summary>
public static class ServerVersion
{
    /// <summary>The version of Redis whose behaviour it has, on which clients decide.</summary>
    public const string Redis = "8.0.0";

    /// <summary>Cinnabar's own version.</summary>
    public static string Cinnabar { get; } = FullVersion().Split('+')[0];

    /// <summary>The first eight digits of the commit it was built from; zeros if unknown.</summary>
    public static string Commit { get; } = CommitOf(FullVersion());

    private static string CommitOf(string full)
    {
        const int Digits = 8;
        int plus = full.IndexOf('+', System.StringComparison.Ordinal);
        return plus >= 0 && full.Length > plus + Digits
            ? full.Substring(plus + 1, Digits)
            : new string('0', Digits);
    }

    private static string FullVersion() =>
        typeof(ServerVersion).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()
            ?.InformationalVersion ?? "0";
}
