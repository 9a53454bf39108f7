using Cinnabar.Engine.Generated;
using Cinnabar.Security.Rules;

namespace Cinnabar.Engine.Specs;

/// <summary>
/// All that the server knows about a command or subcommand before it runs: immutable, shared by all servers
/// of the process. Made from spec/commands.
/// </summary>
public sealed class CommandSpec : IAclCommand
{
    private readonly byte[] _name;
    private readonly KeySpec[] _keySpecs;
    private readonly KeySpec[] _accessSpecs;
    private readonly Range _info;
    private readonly Range _docs;
    private readonly Range _help;
    private CommandNames? _subcommands;

    internal CommandSpec(CommandId id, ref SpecTree row, ReadOnlySpan<CommandSpec> earlier)
    {
        Id = id;
        NameAddress = row.Address;
        _name = row.Bulk().ToArray();
        Name = Encoding.ASCII.GetString(_name);
        int parent = (int)row.Integer();
        Parent = parent == 0 ? null : earlier[parent];
        Arity = (int)row.Integer();
        Flags = (CommandFlags)row.Integer();
        Categories = (AclCategories)row.Integer();
        Lock = (LockScope)row.Integer();
        Cost = (CommandCost)row.Integer();
        FirstKey = (int)row.Integer();
        LastKey = (int)row.Integer();
        KeyStep = (int)row.Integer();
        _info = Slice(ref row);
        _docs = Slice(ref row);
        _help = Slice(ref row);
        _keySpecs = ReadSpecs(ref row);
        _accessSpecs = ReadSpecs(ref row);
        foreach (KeySpec spec in _accessSpecs) AccessFlags |= spec.Flags;
        HasKeys = Array.Exists(_keySpecs, static spec => (spec.Flags & KeySpecFlags.NotKey) == 0);
        IsSingleKey = Lock == LockScope.Keys && _keySpecs.Length == 1 && FirstKey > 0 && LastKey == FirstKey
            && (Flags & CommandFlags.Blocking) == 0;
    }

    /// <summary>Its number: an index into tables of counters.</summary>
    public CommandId Id { get; }

    /// <summary>Its name in lower case; a subcommand's with its container's: "client|kill".</summary>
    public string Name { get; }

    /// <summary>The bytes of <see cref="Name"/>.</summary>
    public ReadOnlySpan<byte> NameBytes => _name;

    /// <summary>The address of its name for <see cref="Platform.ActivityRow.Command"/>.</summary>
    internal nint NameAddress { get; }

    /// <summary>The container of a subcommand.</summary>
    public CommandSpec? Parent { get; }

    /// <summary>The count of arguments with the name; negative: at least so many.</summary>
    public int Arity { get; }

    /// <summary>What it is and where it may run.</summary>
    public CommandFlags Flags { get; }

    /// <summary>Its ACL categories.</summary>
    public AclCategories Categories { get; }

    int IAclCommand.Number => (int)Id;

    string IAclCommand.FullName => Name;

    int IAclCommand.ContainerNumber => Parent is null ? 0 : (int)Parent.Id;

    bool IAclCommand.HasSubcommands => IsContainer;

    /// <summary>Which stripes it takes.</summary>
    public LockScope Lock { get; }

    /// <summary>Whether it may go to the slow lane.</summary>
    public CommandCost Cost { get; }

    /// <summary>The index of its first key; 0: no keys, or only movable ones.</summary>
    public int FirstKey { get; }

    /// <summary>The index of its last key; negative: from the end, -1 being the last argument.</summary>
    public int LastKey { get; }

    /// <summary>The distance from key to key.</summary>
    public int KeyStep { get; }

    /// <summary>Where its keys are and what it does to them.</summary>
    public ReadOnlySpan<KeySpec> KeySpecs => _keySpecs;

    /// <summary>Where the channels and databases are that its arguments name.</summary>
    internal ReadOnlySpan<KeySpec> AccessSpecs => _accessSpecs;

    /// <summary>What <see cref="AccessSpecs"/> find.</summary>
    internal KeySpecFlags AccessFlags { get; }

    /// <summary>Whether any of its arguments is a key; the key specs of shard channels name none.</summary>
    public bool HasKeys { get; }

    /// <summary>Whether it may change keys.</summary>
    public bool IsWriting => Has(CommandFlags.Write);

    /// <summary>Whether it runs the commands that its session has queued: EXEC.</summary>
    public bool RunsTransaction => Lock == LockScope.Transaction;

    /// <summary>Whether it runs a script.</summary>
    public bool RunsScript => Has(CommandFlags.RunsScript);

    /// <summary>Whether it has subcommands.</summary>
    public bool IsContainer => _subcommands != null;

    /// <summary>Its subcommands.</summary>
    public ReadOnlySpan<CommandSpec> Subcommands => _subcommands == null ? [] : _subcommands.All;

    /// <summary>
    /// The address of its handler, a <c>delegate*&lt;Execution, Outcome&gt;</c> where it
    /// <see cref="HasOutcome"/>, else a <c>delegate*&lt;Execution, void&gt;</c>; 0: it cannot run without a
    /// subcommand. A session command's handler takes a SessionExecution.
    /// </summary>
    public nint HandlerAddress { get; internal set; }

    /// <summary>Whether its handler returns an outcome: it may leave its loop, wait, or ask for other
    /// stripes.</summary>
    public bool HasOutcome { get; internal set; }

    /// <summary>
    /// The address of the function that prefetches the memory that commands of this kind on one key will read
    /// (<see cref="Cinnabar.Commands.Execution.Upcoming"/>), with a handler's signature; 0: none.
    /// </summary>
    public nint LookaheadAddress { get; internal set; }

    /// <summary>The address of the function that chooses the stripes of a command whose lock is
    /// <see cref="LockScope.Chosen"/>, with a handler's signature; else 0.</summary>
    internal nint LockChooserAddress { get; init; }

    /// <summary>The address of the function that decides from the arguments whether the command needs all
    /// stripes, a
    /// <c>delegate*&lt;ArgumentList, bool&gt;</c>; 0: it needs those of its keys.</summary>
    internal nint LockAllIfAddress { get; init; }

    /// <summary>Whether the command names exactly one key, at <see cref="FirstKey"/>, and never
    /// waits.</summary>
    public bool IsSingleKey { get; }

    /// <summary>Whether it runs by its name alone: it has a handler and no subcommands.</summary>
    public bool IsPlain => HandlerAddress != 0 && _subcommands == null;

    /// <summary>
    /// Whether the shortest path may run it: by its name alone, under one key's lock or none
    /// (<see cref="IsSingleKey"/>), at constant cost, open to every client.
    /// </summary>
    public bool IsShort { get; private set; }

    /// <summary>Whether its cost does not depend on its arguments.</summary>
    public bool IsConstantCost => Cost == CommandCost.Constant;

    /// <summary>Its entry in the reply of COMMAND INFO; a <see cref="SpecTree"/>.</summary>
    internal ReadOnlySpan<byte> InfoTree => SpecTexts.Info[_info];

    /// <summary>Its entry in the reply of COMMAND DOCS, without its name; a <see cref="SpecTree"/>.</summary>
    internal ReadOnlySpan<byte> DocsTree => SpecTexts.Docs[_docs];

    /// <summary>The reply of its HELP; a <see cref="SpecTree"/>.</summary>
    internal ReadOnlySpan<byte> HelpTree => SpecTexts.Help[_help];

    /// <summary>The full name of the method that is its handler, bound or not.</summary>
    internal string Function => SpecHandlers.Function(Id);

    /// <summary>Whether it has a flag, or one of several.</summary>
    public bool Has(CommandFlags flags) => (Flags & flags) != 0;

    /// <summary>Whether the count of arguments (with the name) is right.</summary>
    public bool AcceptsCount(int argumentCount) =>
        Arity < 0 ? argumentCount >= -Arity : argumentCount == Arity;

    /// <summary>Calls its handler; a session command's with a SessionExecution.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public unsafe Outcome Call(Execution execution)
    {
        Debug.Assert(HandlerAddress != 0, "a container does not run");
        // SAFETY: the generator bound the address to a static method of the one signature or the other.
        if (HasOutcome)
            return ((delegate*<Execution, Outcome>)HandlerAddress)(execution);
        ((delegate*<Execution, void>)HandlerAddress)(execution);
        return Outcome.Done;
    }

    /// <summary>Finds a subcommand by its own name in any case; null: there is none.</summary>
    public CommandSpec? FindSubcommand(ReadOnlySpan<byte> name) => _subcommands?.Find(name);

    public override string ToString() => Name;

    /// <summary>Call it when all subcommands have been added.</summary>
    internal void Complete() =>
        IsShort = IsPlain && IsConstantCost && (Flags & CommandFlags.Protected) == 0
            && (IsSingleKey || Has(CommandFlags.ShortPath));

    internal void AddSubcommand(CommandSpec subcommand)
    {
        _subcommands ??= new CommandNames();
        _subcommands.Add(subcommand.NameBytes[(_name.Length + 1)..], subcommand);
    }

    private static KeySpec[] ReadSpecs(ref SpecTree row)
    {
        int count = row.Array();
        KeySpec[] specs = count == 0 ? [] : new KeySpec[count];
        for (int i = 0; i < specs.Length; i++) specs[i] = new KeySpec(ref row);
        return specs;
    }

    private static Range Slice(ref SpecTree row)
    {
        int start = (int)row.Integer();
        return start..(start + (int)row.Integer());
    }
}
