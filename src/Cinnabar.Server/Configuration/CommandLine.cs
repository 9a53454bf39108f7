// The command line is redis-server's: cinnabar-server [path | -] [--directive value …] [-].
//
// Options are turned into lines of configuration that follow the file, so that they override it and errors
// name them. An option's name begins with two dashes and ends the option before it; the word after a name is
// always its value, even if it begins with dashes (--masterauth --secret), except after --save, which needs
// no value. A word with blanks may hold a name and its value ("--port 7000"). A lone dash at the beginning or
// the end means that the configuration is read from standard input.
//
// --import-from and its address are no directive: an import belongs to one start of the server, and its
// password must not get into CONFIG GET, CONFIG REWRITE or an error that shows a line.

using System.IO;
using System.Linq;
using Cinnabar.Engine.Configuration;
using Cinnabar.Importing;

namespace Cinnabar.Server.Configuration;

/// <summary>The parsed command line.</summary>
internal sealed class CommandLine
{
    private const string ImportOption = "--import-from";
    private const string ImportPasswordVariable = "CINNABAR_IMPORT_PASSWORD";

    private readonly StringBuilder _options = new();

    private CommandLine(CommandLineAction action) => Action = action;

    /// <summary>What is asked for.</summary>
    internal CommandLineAction Action { get; private set; }

    /// <summary>The configuration file as given; null: none.</summary>
    internal string? ConfigurationPath { get; private set; }

    /// <summary>Whether standard input holds configuration that follows the file's.</summary>
    internal bool ReadsStandardInput { get; private set; }

    /// <summary>The options as lines of configuration, one char a byte.</summary>
    internal string Options => _options.ToString();

    /// <summary>The server whose data are imported; null: none.</summary>
    internal ImportAddress? ImportSource { get; private set; }

    /// <summary>What is wrong with the address of that server; null: nothing.</summary>
    internal string? ImportFault { get; private set; }

    /// <summary>The arguments of a tool.</summary>
    internal IReadOnlyList<string> ToolArguments { get; private set; } = [];

    /// <summary>How a tool was called.</summary>
    internal string ToolName { get; private set; } = "";

    /// <summary>Parses a command line.</summary>
    /// <param name="arguments">Without the program's name.</param>
    /// <param name="program">The name under which the program was started: a tool's, or any other.</param>
    internal static CommandLine Parse(IReadOnlyList<string> arguments, string program = "")
    {
        CommandLineAction? tool = ToolOf(Path.GetFileName(program));
        CommandLine line = new(tool ?? ActionOf(arguments));
        if (line.Action == CommandLineAction.Run)
            line.ReadOptions(arguments);
        if (line.Action is CommandLineAction.CheckRdb or CommandLineAction.CheckAof
            or CommandLineAction.RestoreUntil)
        {
            line.ToolName = tool is not null ? program : $"cinnabar-server {arguments[0]}";
            line.ToolArguments = tool is not null ? arguments : [.. arguments.Skip(1)];
        }

        return line;
    }

    private static CommandLineAction? ToolOf(string program) =>
        program.Contains("-check-rdb", StringComparison.Ordinal) ? CommandLineAction.CheckRdb
            : program.Contains("-check-aof", StringComparison.Ordinal) ? CommandLineAction.CheckAof
            : null;

    private static CommandLineAction ActionOf(IReadOnlyList<string> arguments)
    {
        if (arguments.Count == 0)
            return CommandLineAction.Run;
        foreach (string argument in arguments)
        {
            if (argument == "--sentinel")
                return CommandLineAction.Sentinel;
        }
        return arguments[0] switch
        {
            "-v" or "--version" => CommandLineAction.ShowVersion,
            "-h" or "--help" => CommandLineAction.ShowHelp,
            "--test-memory" => CommandLineAction.TestMemory,
            "--check-system" => CommandLineAction.CheckSystem,
            "--check-rdb" => CommandLineAction.CheckRdb,
            "--check-aof" => CommandLineAction.CheckAof,
            "--restore-until" => CommandLineAction.RestoreUntil,
            _ => CommandLineAction.Run,
        };
    }

    private void ReadOptions(IReadOnlyList<string> arguments)
    {
        int index = 0;
        if (arguments.Count > 0 && !arguments[0].StartsWith('-'))
            ConfigurationPath = arguments[index++];
        int first = index;
        bool mayBeName = true;
        for (; index < arguments.Count; index++)
        {
            string argument = arguments[index];
            bool isLast = index == arguments.Count - 1;
            if (argument == "-" && (index == first || isLast))
            {
                ReadsStandardInput = true;
            }
            else if (mayBeName && argument.Equals(ImportOption, StringComparison.OrdinalIgnoreCase))
            {
                ReadImport(isLast ? "" : arguments[++index]);
            }
            else if (mayBeName && argument.StartsWith("--", StringComparison.Ordinal))
            {
                bool isNextOption = !isLast
                    && arguments[index + 1].StartsWith("--", StringComparison.Ordinal);
                mayBeName = AddName(argument, hasNoValue: isLast || isNextOption);
            }
            else
            {
                _options.Append(ConfigurationText.Quote(BytesOf(argument))).Append(' ');
                mayBeName = true;
            }
        }
    }

    private void ReadImport(string text)
    {
        ImportSource = ImportAddress.TryParse(text, out string fault);
        if (ImportSource is null)
        {
            ImportFault = fault + " (redis[s]://[[user]:password@]host[:port])";
            return;
        }

        string? password = Environment.GetEnvironmentVariable(ImportPasswordVariable);
        if (ImportSource.Password.Length == 0 && !string.IsNullOrEmpty(password))
            ImportSource = ImportSource with { Password = password };
    }

    /// <summary>Begins a line; the answer is whether the next word may begin another.</summary>
    private bool AddName(string argument, bool hasNoValue)
    {
        if (_options.Length > 0)
            _options.Append('\n');
        _options.Append(BytesOf(argument[2..])).Append(' ');
        if (ConfigurationText.Split(argument) is not { Count: 1 })
            return true;
        bool isBareSave = hasNoValue && argument.Equals("--save", StringComparison.OrdinalIgnoreCase);
        if (isBareSave)
            _options.Append("\"\"");
        return isBareSave;
    }

    private static string BytesOf(string argument) =>
        Encoding.Latin1.GetString(Encoding.UTF8.GetBytes(argument));
}
