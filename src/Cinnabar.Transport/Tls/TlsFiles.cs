using System.IO;
using Cinnabar.Engine.Configuration;
using Cinnabar.Structures.Hashing;

namespace Cinnabar.Transport.Tls;

/// <summary>The files of a configuration.</summary>
internal static class TlsFiles
{
    /// <summary>A text that changes where the content of a file changes.</summary>
    public static string Fingerprint(TlsOptions options)
    {
        var text = new StringBuilder();
        foreach (string name in options.Files)
        {
            string path = ConfigurationText.ToPath(name);
            if (!Directory.Exists(path))
            {
                Append(text, path);
                continue;
            }

            foreach (string file in Directory.GetFiles(path))
                Append(text, file);
        }

        return text.ToString();
    }

    private static void Append(StringBuilder text, string path)
    {
        text.Append(path).Append(' ');
        if (path.Length == 0)
            return;
        try
        {
            byte[] content = File.ReadAllBytes(path);
            text.Append(CultureInfo.InvariantCulture, $"{content.Length} {Crc64.Append(0, content)}\n");
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            // A file that cannot be read has changed when it can be.
            text.Append(fault.GetType().Name).Append('\n');
        }
    }
}
