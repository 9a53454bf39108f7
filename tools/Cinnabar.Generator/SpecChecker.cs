using System.Collections.Generic;
using System.Text.RegularExpressions;

namespace Cinnabar.Generator;

/// <summary>The rules between the properties of one spec.</summary>
internal sealed class SpecChecker
{
    private const int SummaryLengthMax = 110;
    private const string HelpFunction = "Cinnabar.Engine.Administration.HelpCommand.Run";
    private static readonly Regex s_name = new Regex("^[a-z0-9][a-z0-9._-]*$");
    private static readonly Regex s_version = new Regex("^[0-9]+\\.[0-9]+\\.[0-9]+$");
    private static readonly Regex s_function = new Regex("^Cinnabar(\\.[A-Z][A-Za-z0-9]*){3,}$");

    private readonly SpecVocabulary _words;

    public SpecChecker(SpecVocabulary words)
    {
        _words = words;
    }

    public void Check(CommandModel command)
    {
        Require(command, s_name.IsMatch(command.Name),
            "a name is lower case letters, digits, '-', '_' and '.'");
        Require(command, command.Summary.Length <= SummaryLengthMax, "the summary is too long");
        Require(command, command.Summary.EndsWith("."), "the summary ends with a full stop");
        Require(command, s_version.IsMatch(command.Since), "since is no version");
        Require(command, IsGroup(command.Group), "\"" + command.Group + "\" is no group");
        int argumentCountMin = command.Arity < 0 ? -command.Arity : command.Arity;
        Require(command, argumentCountMin >= (command.Parent == null ? 1 : 2),
            "arity counts the name's words too");
        bool hasFunction = command.Function.Length > 0;
        Require(command, hasFunction || command.Subcommands.Count > 0, "function is missing");
        Require(command, !hasFunction || s_function.IsMatch(command.Function),
            "function is no method's full name");
        Require(command, command.Lookahead.Length == 0 || s_function.IsMatch(command.Lookahead),
            "lookahead is no method's full name");
        Require(command, command.Function != HelpFunction || command.Parent?.Help.Count > 0,
            "its container has no help");
        CheckLock(command);
        CheckFlags(command);
        CheckEffect(command);
        CheckKeySpecs(command, argumentCountMin);
        foreach (ArgumentModel argument in command.Arguments) CheckArgument(command, argument);
        var names = new HashSet<string>();
        foreach (CommandModel subcommand in command.Subcommands)
        {
            Check(subcommand);
            Require(subcommand, names.Add(subcommand.Name), "the subcommand stands twice");
        }
    }

    private static bool IsGroup(string name) => name is "string" or "bitmap" or "generic" or "transactions"
        or "pubsub" or "connection" or "server" or "cluster" or "hash" or "list" or "set" or "sorted-set"
        or "stream" or "geo" or "hyperloglog" or "scripting" or "sentinel";

    private static bool IsType(string name) => name is "string" or "integer" or "double" or "key"
        or "pattern" or "unix-time" or "pure-token" or "oneof" or "block";

    private static void CheckLock(CommandModel command)
    {
        Require(command, (command.Lock == "chosen") == (command.LockChooser.Length > 0),
            "lock says chosen if and only if there is a lock_chooser");
        Require(command, command.LockChooser.Length == 0 || s_function.IsMatch(command.LockChooser),
            "lock_chooser is no method's full name");
        Require(command, command.LockAllIf.Length == 0 || command.Lock == "keys",
            "lock_all_if belongs to a lock of keys");
        Require(command, command.LockAllIf.Length == 0 || s_function.IsMatch(command.LockAllIf),
            "lock_all_if is no method's full name");
    }

    // Its author has thought of time, chance and other clients.
    private static void CheckEffect(CommandModel command)
    {
        Require(command, command.Effect is "" or "verbatim" or "own", "effect is verbatim or own");
        Require(command, command.Effect.Length > 0 || !command.Flags.Contains("write"),
            "a command that writes says what its effect is");
    }

    private static void Require(CommandModel command, bool isTrue, string otherwise)
    {
        if (!isTrue) throw new SpecException(command.FullName + ": " + otherwise, command.Line);
    }

    private void CheckFlags(CommandModel command)
    {
        _words.Flags.Sum(command.Flags, command.Line);
        _words.Categories.Sum(command.Categories, command.Line);
        _ = _words.Locks[command.Lock, command.Line];
        _ = _words.Costs[command.Cost, command.Line];
        List<string> flags = command.Flags;
        List<string> categories = command.Categories;
        Require(command, !flags.Contains("movablekeys"), "movablekeys follows from the key specs");
        Require(command, !(flags.Contains("write") && flags.Contains("readonly")), "both write and readonly");
        Require(command, flags.Contains("fast") == categories.Contains("fast"),
            "fast is a flag and a category");
        Require(command, categories.Contains("fast") != categories.Contains("slow"), "either fast or slow");
        Require(command, !flags.Contains("write") || categories.Contains("write"),
            "write needs its category");
        // In Redis, not in a script's command.
        Require(command, !flags.Contains("readonly") || categories.Contains("read")
            || flags.Contains("runs_script"), "readonly needs @read");
        Require(command, !flags.Contains("pubsub") || categories.Contains("pubsub"),
            "pubsub needs its category");
        Require(command, !flags.Contains("blocking") || categories.Contains("blocking"),
            "blocking needs @blocking");
        Require(command, !flags.Contains("admin") || categories.Contains("admin"),
            "admin needs its category");
        Require(command, !categories.Contains("admin") || categories.Contains("dangerous"),
            "admin is dangerous");
        foreach (string flag in command.DocFlags)
            Require(command, flag == "deprecated" || flag == "syscmd", "\"" + flag + "\" is no doc_flag");
        bool isDeprecated = command.DocFlags.Contains("deprecated");
        Require(command, isDeprecated == (command.DeprecatedSince.Length > 0), "deprecated since when?");
    }

    private void CheckKeySpecs(CommandModel command, int argumentCountMin)
    {
        bool locksKeys = command.Lock == "keys";
        Require(command, locksKeys == command.KeySpecs.Exists(spec => !spec.Flags.Contains("not_key")),
            "lock says keys if and only if there are keys");
        foreach (KeySpecModel spec in command.KeySpecs)
        {
            CheckKeySpec(command, spec, argumentCountMin);
            int accessCount = 0;
            foreach (string flag in spec.Flags)
            {
                accessCount += flag == "RO" || flag == "RW" || flag == "OW" || flag == "RM" ? 1 : 0;
                Require(command, !IsOfAccess(flag), "\"" + flag + "\" belongs to access_specs");
            }

            Require(command, accessCount == (spec.Flags.Contains("not_key") ? 0 : 1),
                "a key spec has one of RO, RW, OW, RM");
        }

        foreach (KeySpecModel spec in command.AccessSpecs)
        {
            CheckKeySpec(command, spec, argumentCountMin);
            Require(command, spec.Flags.TrueForAll(IsOfAccess)
                && spec.Flags.Contains("channel") != spec.Flags.Contains("database"),
                "an access spec has one of channel, database");
            Require(command, spec.Find == "range" && spec.Begin != "unknown",
                "an access spec tells where its arguments are");
        }
    }

    private void CheckKeySpec(CommandModel command, KeySpecModel spec, int argumentCountMin)
    {
        _words.KeyFlags.Sum(spec.Flags, command.Line);
        _ = _words.Begins[spec.Begin, command.Line];
        _ = _words.Finds[spec.Find, command.Line];
        bool isInside = spec.Begin != "index" || spec.BeginPosition <= argumentCountMin;
        Require(command, isInside, "a key spec begins behind the arguments");
    }

    private static bool IsOfAccess(string flag) => flag is "channel" or "pattern" or "database";

    private static void CheckArgument(CommandModel command, ArgumentModel argument)
    {
        Require(command, IsType(argument.Type), "\"" + argument.Type + "\" is no type of argument");
        bool isGroup = argument.Type == "oneof" || argument.Type == "block";
        Require(command, isGroup == (argument.Arguments.Count > 0),
            argument.Name + ": only groups have arguments");
        Require(command, argument.Type != "pure-token" || argument.Token.Length > 0,
            argument.Name + ": no token");
        Require(command, argument.KeySpecIndex < command.KeySpecs.Count,
            argument.Name + ": no such key spec");
        foreach (ArgumentModel inner in argument.Arguments) CheckArgument(command, inner);
    }
}
