using Cinnabar.Engine.Logging;
using Cinnabar.Resp;

namespace Cinnabar.Importing;

/// <summary>Copies the functions of a source, which replace those of this server.</summary>
internal static class FunctionCopy
{
    /// <summary>Copies them; a source that has none, or refuses to give them, is left alone.</summary>
    public static void Run(SourceLink source, LocalLink local, ILog log)
    {
        Reply payload = source.Call("FUNCTION", "DUMP");
        if (payload.IsError)
        {
            log.Write(LogLevel.Verbose, $"Import: {source} gives no functions: {payload.Text}");
            return;
        }

        Reply restored = local.Call(CopiedValue.Word("FUNCTION"), CopiedValue.Word("RESTORE"), payload.Bytes,
            CopiedValue.Word("FLUSH"));
        if (restored.IsError)
            log.Write(LogLevel.Warning, $"Import: the functions of {source} are not taken: {restored.Text}");
    }
}
