// The keys of the commands that a script calls: each is hashed, its stripe is compared with those that are
// held, and what it has is kept before it changes. A script calls most of its commands with few keys, and
// with the same string objects (KEYS[1], a local): what is known of those is remembered for the run.

using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Specs;
using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Engine.Scripting;

/// <summary>Prepares the keys of a script's commands.</summary>
internal sealed class ScriptKeys(ILoopServer server, ScriptRun run)
{
    // A power of two: the place of a string is the low part of its hash.
    private const int KnownCount = 4;
    private const int NoDatabase = -1;

    private readonly Keyspace.Keyspace _keyspace = server.Keyspace;
    private readonly KeyWaits _waits = server.Waits;
    private readonly ScriptRun _run = run;
    private readonly KnownKey[] _known = new KnownKey[KnownCount];

    /// <summary>Forgets the keys of a run.</summary>
    public void Forget() => Array.Clear(_known);

    /// <summary>Prepares the keys of a command.</summary>
    /// <param name="execution">The execution, with the command's arguments.</param>
    /// <param name="spec">The command.</param>
    /// <param name="call">The call that they came by.</param>
    public void Prepare(SessionExecution execution, CommandSpec spec, LuaCall call)
    {
        bool mayWrite = spec.Has(CommandFlags.Write | CommandFlags.MayReplicate);
        if (spec.IsSingleKey)
        {
            Prepare(execution, spec.FirstKey, call, mayWrite);
            return;
        }

        var keys = new KeyArguments(spec, execution.Arguments);
        while (keys.MoveNext())
            Prepare(execution, keys.Current, call, mayWrite);
    }

    private void Prepare(SessionExecution execution, int index, LuaCall call, bool mayWrite)
    {
        ref Argument argument = ref execution.Arguments[index];
        LuaString? text = call.Arguments[index].AsString;
        ref KnownKey known = ref _known[text is null ? 0 : text.GetHashCode() & (KnownCount - 1)];
        if (text is null || known.Text != (object)text)
        {
            known = new KnownKey
            {
                Text = text,
                Hash = _keyspace.Hash(argument.Span),
                KeptIn = NoDatabase,
            };
        }

        argument.Hash = known.Hash;
        if (!_run.HoldsAll)
            CheckStripes(execution, ref known, mayWrite);
        if (!mayWrite || !_run.CanLeave || known.KeptIn == execution.Keys.Database)
            return;
        _run.Keep(execution.Key(index));
        known.KeptIn = execution.Keys.Database;
    }

    // A client begins to wait for a key under its stripe: none does while the script holds that.
    private void CheckStripes(SessionExecution execution, ref KnownKey known, bool mayWrite)
    {
        bool mayServe = (mayWrite || !_keyspace.IsActiveExpiryEnabled) && !_waits.IsEmpty;
        if (known.IsHeld && !mayServe)
            return;
        StripeSet needed = default;
        needed.Add(_keyspace.StripeIndex(known.Hash));
        if (mayServe && execution.Stripes.Contains(in needed))
            _waits.AddNeeds(known.Hash, ref needed);
        if (!execution.Stripes.Contains(in needed))
            throw _run.NeedAllStripes();
        known.IsHeld = true;
    }

    private struct KnownKey
    {
        public LuaString? Text;
        public ulong Hash;

        // The database in which its value was kept for a rollback.
        public int KeptIn;

        // Whether its stripe is held.
        public bool IsHeld;
    }
}
