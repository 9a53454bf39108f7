// Whether a user may run a command with its arguments. One selector must allow all of it: the command, the
// databases, each key for what the command does to it, and the channels. The specs say which arguments are
// keys and what is done to them; a key that a command neither reads nor writes (EXISTS, TYPE) must match a
// pattern of any kind. Where all selectors deny it, the denial of the one that came closest is shown.
//
// Arguments whose number of keys does not fit (EVAL with more keys than arguments) have no keys: the command
// replies an error and touches nothing.

using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Generated;
using Cinnabar.Engine.Specs;
using Cinnabar.Security.Keys;
using Cinnabar.Security.Logging;
using Cinnabar.Security.Rules;
using Cinnabar.Security.Users;
using Ascii = Cinnabar.Commands.Ascii;

namespace Cinnabar.Engine.Access;

/// <summary>Checks commands against the rules of users.</summary>
internal static class AccessCheck
{
    private const KeySpecFlags Changes = KeySpecFlags.Update | KeySpecFlags.Insert | KeySpecFlags.Delete;

    /// <summary>Whether a user may run a command, or why not; without allocation.</summary>
    /// <param name="user">The user.</param>
    /// <param name="spec">The command.</param>
    /// <param name="arguments">Its arguments.</param>
    /// <param name="database">The selected database.</param>
    /// <param name="databaseCount">How many there are.</param>
    public static AccessDenial Find(
        User user, CommandSpec spec, ArgumentList arguments, int database, int databaseCount)
    {
        if (user.IsUnrestricted)
            return AccessDenial.None;
        AccessDenial closest = AccessDenial.None;
        foreach (Selector selector in user.Selectors)
        {
            AccessDenial denial = Find(selector, spec, arguments, database, databaseCount);
            if (denial.IsNone)
                return denial;
            if (denial.SaysMoreThan(closest))
                closest = denial;
        }

        return closest;
    }

    /// <summary>Why a user may not run SORT: BY and GET read keys of whatever name.</summary>
    /// <returns>The error, or nothing where it may.</returns>
    public static ReadOnlySpan<byte> FindSortError(User user, CommandSpec spec, ArgumentList arguments)
    {
        if (user.IsUnrestricted || !spec.Has(CommandFlags.ReadsByPattern))
            return default;
        foreach (Selector selector in user.Selectors)
        {
            if (AllowsCommand(selector, spec, arguments) && selector.AllowsAnyKey(KeyAccess.Read))
                return default;
        }

        for (int index = 2; index + 1 < arguments.Count; index++)
        {
            ReadOnlySpan<byte> word = arguments[index].Span;
            if (Ascii.EqualsIgnoreCase(word, "get"u8))
                return "ERR GET option of SORT denied due to insufficient ACL permissions."u8;
            if (Ascii.EqualsIgnoreCase(word, "by"u8) && arguments[++index].Span.Contains((byte)'*'))
                return "ERR BY option of SORT denied due to insufficient ACL permissions."u8;
            if (Ascii.EqualsIgnoreCase(word, "limit"u8))
                index += 2;
            else if (Ascii.EqualsIgnoreCase(word, "store"u8))
                index++;
        }

        return default;
    }

    /// <summary>Whether a user may have a subscription.</summary>
    public static bool AllowsChannel(User user, ReadOnlySpan<byte> name, bool isPattern)
    {
        foreach (Selector selector in user.Selectors)
        {
            if (AllowsChannel(selector, name, isPattern))
                return true;
        }

        return false;
    }

    private static bool AllowsChannel(Selector selector, ReadOnlySpan<byte> name, bool isPattern) =>
        isPattern ? selector.AllowsChannelPattern(name) : selector.AllowsChannel(name);

    private static AccessDenial Find(
        Selector selector, CommandSpec spec, ArgumentList arguments, int database, int databaseCount)
    {
        if (!AllowsCommand(selector, spec, arguments))
            return new AccessDenial(DenialReason.Command, 0);
        AccessDenial denied = selector.HasAllDatabases ? AccessDenial.None
            : FindDatabase(selector, spec, arguments, database, databaseCount);
        if (!denied.IsNone)
            return denied;
        if (!selector.HasAllKeys)
        {
            int key = FindKey(selector, spec, arguments);
            if (key > 0)
                return new AccessDenial(DenialReason.Key, key);
        }

        int channel = selector.HasAllChannels ? 0 : FindChannel(selector, spec, arguments);
        return channel == 0 ? AccessDenial.None : new AccessDenial(DenialReason.Channel, channel);
    }

    private static bool AllowsCommand(Selector selector, CommandSpec spec, ArgumentList arguments) =>
        spec.Has(CommandFlags.NoAuth)
        || selector.AllowsCommand((int)spec.Id, arguments.Count > 1 ? arguments[1].Span : default);

    private static int FindKey(Selector selector, CommandSpec spec, ArgumentList arguments)
    {
        // Most commands have one key, at a place that nothing moves.
        if (spec.IsSingleKey)
        {
            int index = spec.FirstKey;
            return index >= arguments.Count
                || AllowsKey(selector, spec, arguments, index, spec.KeySpecs[0].Flags) ? 0 : index;
        }

        var keys = new KeyArguments(spec, arguments) { IsEvery = true };
        while (keys.MoveNext())
        {
            if (!AllowsKey(selector, spec, arguments, keys.Current, keys.Flags))
                return keys.Current;
        }

        return spec.Id == CommandId.Migrate ? FindMigrated(selector, arguments) : 0;
    }

    // The specs name the keys behind the last word KEYS, which may be a key itself.
    private static int FindMigrated(Selector selector, ArgumentList arguments)
    {
        for (int index = MigrateArguments.FirstKey(arguments); index < arguments.Count; index++)
        {
            if (!selector.AllowsKey(arguments[index].Span, KeyAccess.Read | KeyAccess.Write))
                return index;
        }

        return 0;
    }

    private static bool AllowsKey(
        Selector selector, CommandSpec spec, ArgumentList arguments, int index, KeySpecFlags flags)
    {
        ReadOnlySpan<byte> key = arguments[index].Span;
        // An empty key of MIGRATE says that KEYS follows.
        return (flags & KeySpecFlags.NotKey) != 0 || (key.IsEmpty && spec.Id == CommandId.Migrate)
            || selector.AllowsKey(key, AccessOf(VariableKeyFlags.Of(spec, flags, arguments)));
    }

    private static KeyAccess AccessOf(KeySpecFlags flags) =>
        ((flags & KeySpecFlags.Access) != 0 ? KeyAccess.Read : KeyAccess.None)
        | ((flags & Changes) != 0 ? KeyAccess.Write : KeyAccess.None);

    private static int FindChannel(Selector selector, CommandSpec spec, ArgumentList arguments)
    {
        if ((spec.AccessFlags & KeySpecFlags.Channel) == 0)
            return 0;
        var channels = new KeyArguments(spec, spec.AccessSpecs, arguments);
        while (channels.MoveNext())
        {
            bool isPattern = (channels.Flags & KeySpecFlags.Pattern) != 0;
            if (!AllowsChannel(selector, arguments[channels.Current].Span, isPattern))
                return channels.Current;
        }

        return 0;
    }

    private static AccessDenial FindDatabase(
        Selector selector, CommandSpec spec, ArgumentList arguments, int database, int databaseCount)
    {
        // WATCH and scripts neither read nor write, but name keys. SWAPDB writes those that it names.
        bool namesDatabase = (spec.AccessFlags & KeySpecFlags.Database) != 0;
        bool isOfSelected = spec.HasKeys
            || (!namesDatabase && spec.Has(CommandFlags.Write | CommandFlags.ReadOnly));
        if (spec.Id == CommandId.Flushall || (isOfSelected && !selector.AllowsDatabase(database)))
            return new AccessDenial(DenialReason.Database, 0);
        int index = namesDatabase ? FindDatabase(selector, spec, arguments, databaseCount) : 0;
        return index == 0 ? AccessDenial.None : new AccessDenial(DenialReason.Database, index);
    }

    // What names no database is the handler's error, whatever the arguments beside it name.
    private static int FindDatabase(
        Selector selector, CommandSpec spec, ArgumentList arguments, int databaseCount)
    {
        int denied = 0;
        var databases = new KeyArguments(spec, spec.AccessSpecs, arguments) { IsEvery = true };
        while (databases.MoveNext())
        {
            int index = databases.Current;
            if (!RedisNumber.TryParseInt64(arguments[index].Span, out long number)
                || number < 0 || number >= databaseCount)
                return 0;
            if (denied == 0 && !selector.AllowsDatabase((int)number))
                denied = index;
        }

        return denied;
    }
}
