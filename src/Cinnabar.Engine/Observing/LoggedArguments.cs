using Cinnabar.Engine.Configuration.Directives;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Generated;
using Cinnabar.Engine.Specs;
using Ascii = Cinnabar.Commands.Ascii;

namespace Cinnabar.Engine.Observing;

/// <summary>
/// Arguments as the command logs keep them: copies, of bounded number and length, passwords left out.
/// </summary>
internal static class LoggedArguments
{
    /// <summary>Copies a command's arguments.</summary>
    public static byte[][] Copy(in ObservedCommand command, ConfigurationRegistry configuration)
    {
        ArgumentList arguments = command.Arguments;
        int countMax = configuration.Settings.LogEntryArgumentsMax;
        int bytesMax = configuration.Settings.LogEntryArgumentBytesMax;
        bool isTrimmed = arguments.Count > countMax;
        var copies = new byte[isTrimmed ? countMax : arguments.Count][];
        for (int index = 0; index < copies.Length; index++)
        {
            if (isTrimmed && index == countMax - 1)
                copies[index] = Encoding.ASCII.GetBytes($"... ({arguments.Count - index} more arguments)");
            else if (IsSecret(in command, index, configuration))
                copies[index] = "(redacted)"u8.ToArray();
            else
                copies[index] = Trim(arguments[index].Span, bytesMax);
        }

        return copies;
    }

    /// <summary>Whether an argument is a password, a user's name beside one, or of an account.</summary>
    public static bool IsSecret(in ObservedCommand command, int index, ConfigurationRegistry configuration) =>
        command.Spec.Id switch
        {
            CommandId.Auth => index > 0,
            CommandId.AclSetuser or CommandId.AclGetuser or CommandId.AclDeluser => index > 1,
            CommandId.Hello => IsAfterAuth(command.Arguments, index),
            CommandId.Migrate => MigrateArguments.IsSecret(command.Arguments, index),
            CommandId.ConfigSet => index > 2 && index % 2 == 1
                && (configuration.FlagsOf(Encoding.Latin1.GetString(command.Arguments[index - 1].Span))
                    & DirectiveFlags.Sensitive) > 0,
            _ => false,
        };

    private static bool IsAfterAuth(ArgumentList arguments, int index) =>
        (index > 2 && Ascii.EqualsIgnoreCase(arguments[index - 1].Span, "auth"u8))
        || (index > 3 && Ascii.EqualsIgnoreCase(arguments[index - 2].Span, "auth"u8));

    /// <summary>A copy of bytes, or of the first of them with a note of how many are missing.</summary>
    public static byte[] Trim(ReadOnlySpan<byte> bytes, int bytesMax)
    {
        if (bytes.Length <= bytesMax)
            return bytes.ToArray();
        string rest = $"... ({bytes.Length - bytesMax} more bytes)";
        var copy = new byte[bytesMax + rest.Length];
        bytes[..bytesMax].CopyTo(copy);
        Encoding.ASCII.GetBytes(rest, copy.AsSpan(bytesMax));
        return copy;
    }
}
