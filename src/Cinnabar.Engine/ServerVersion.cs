using System.Reflection;

namespace Cinnabar.Engine;

/// <summary>What this server says it is.</summary>
public static class ServerVersion
{
    /// <summary>The version of Redis whose behaviour it has: what clients decide on.</summary>
    public const string Redis = "8.0.0";

    /// <summary>Cinnabar's own version.</summary>
    public static string Cinnabar
    {
        get
        {
            string full = FullVersion();
            int plus = full.IndexOf('+', System.StringComparison.Ordinal);
            return plus < 0 ? full : full[..plus];
        }
    }

    /// <summary>The first eight digits of the commit it was built from; zeros when nobody knows.</summary>
    public static string Commit
    {
        get
        {
            string full = FullVersion();
            int plus = full.IndexOf('+', System.StringComparison.Ordinal);
            return plus >= 0 && full.Length >= plus + 9 ? full.Substring(plus + 1, 8) : "00000000";
        }
    }

    private static string FullVersion() =>
        typeof(ServerVersion).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()
            ?.InformationalVersion ?? "0";
}
