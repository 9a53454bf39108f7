namespace Cinnabar.Engine.Configuration;

/// <summary><c>proc-title-template</c>: text with variables in braces.</summary>
public static class ProcessTitleTemplate
{
    private static readonly string[] s_variables =
        ["title", "listen-addr", "server-mode", "port", "tls-port", "config-file", "unixsocket"];

    /// <summary>Whether there is a text, all braces are closed, and they hold known variables.</summary>
    public static bool IsValid(string template) => template.Length > 0 && Expand(template, static _ =>
        "") is not null;

    /// <summary>Puts values in place of the variables; null when the template is not valid.</summary>
    public static string? Expand(string template, Func<string, string> valueOf)
    {
        StringBuilder title = new();
        int index = 0;
        while (index < template.Length)
        {
            if (template[index] != '{')
            {
                title.Append(template[index++]);
                continue;
            }
            int end = template.IndexOf('}', index);
            if (end < 0)
                return null;
            string variable = template[(index + 1)..end];
            if (Array.IndexOf(s_variables, variable) < 0)
                return null;
            title.Append(valueOf(variable));
            index = end + 1;
        }
        return title.ToString().TrimEnd(' ');
    }
}
