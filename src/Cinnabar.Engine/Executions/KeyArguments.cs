using Cinnabar.Commands.Sorting;
using Cinnabar.Commands.Streams;
using Cinnabar.Engine.Specs;

namespace Cinnabar.Engine.Executions;

/// <summary>
/// Walks the positions of a command's keys by its key specs, or of what its access specs find: an enumerator
/// without allocation. Arguments that do not fit the spec (a wrong number of keys) end the walk; the handler
/// replies the error.
/// </summary>
internal ref struct KeyArguments(CommandSpec spec, ReadOnlySpan<KeySpec> specs, ArgumentList arguments)
{
    private readonly CommandSpec _spec = spec;
    private readonly ReadOnlySpan<KeySpec> _specs = specs;
    private readonly ArgumentList _arguments = arguments;
    private int _specIndex = -1;
    private int _searchAgain = 0;
    private int _next = 0;
    private int _last = -1;
    private int _step = 1;

    /// <summary>Walks the keys.</summary>
    public KeyArguments(CommandSpec spec, ArgumentList arguments)
        : this(spec, spec.KeySpecs, arguments)
    {
    }

    /// <summary>Whether every place of the keyword of a spec of one key counts, not the first alone: of
    /// several STORE the specs name the first, and the command takes the last.</summary>
    public bool IsEvery { get; init; }

    /// <summary>Position of the key.</summary>
    public int Current { get; private set; } = -1;

    /// <summary>Whether the number of keys that the arguments state is none, or more than there
    /// are.</summary>
    public bool IsMisfit { get; private set; }

    /// <summary>The flags of the key spec that the key came by.</summary>
    public readonly KeySpecFlags Flags => _specs[_specIndex].Flags;

    /// <summary>Hashes all keys of a command.</summary>
    public static void FillHashes(Keyspace.Keyspace keyspace, CommandSpec spec, ArgumentList arguments)
    {
        var keys = new KeyArguments(spec, arguments);
        while (keys.MoveNext())
        {
            ref Argument argument = ref arguments[keys.Current];
            argument.Hash = keyspace.Hash(argument.Span);
        }
    }

    /// <summary>Goes to the next key.</summary>
    public bool MoveNext()
    {
        while (_next > _last)
        {
            if (_searchAgain == 0 && ++_specIndex >= _specs.Length)
                return false;
            Enter(_specs[_specIndex]);
            if (IsMisfit)
                return false;
        }

        Current = _next;
        _next += _step;
        return true;
    }

    private void Enter(KeySpec spec)
    {
        _next = 0;
        _last = -1;
        int begin = spec.Begin switch
        {
            KeyBegin.Index => spec.BeginPosition,
            KeyBegin.Keyword when _spec.Has(CommandFlags.NamesGroup) =>
                GroupReadArguments.FindKeys(_arguments, spec.BeginPosition),
            KeyBegin.Keyword => FindKeyword(spec),
            // Of SORT: STORE may stand anywhere, and the keys of BY and GET are not among the arguments.
            KeyBegin.Unknown when (spec.Flags & KeySpecFlags.OW) != 0 => SortArguments.FindStore(_arguments),
            _ => -1,
        };
        _searchAgain = 0;
        if (begin <= 0 || begin >= _arguments.Count)
            return;
        if (IsEvery && spec.Begin == KeyBegin.Keyword && spec.Find == KeyFind.Range && spec.LastKey == 0)
            _searchAgain = begin;
        if (spec.Find == KeyFind.Range)
            EnterRange(spec, begin);
        else if (spec.Find == KeyFind.KeyNum)
            EnterKeyNum(spec, begin);
        else
            _next = _last = begin;
    }

    private void EnterRange(KeySpec spec, int begin)
    {
        int last = spec.LastKey >= 0 ? begin + spec.LastKey : _arguments.Count + spec.LastKey;
        if (spec.LastKey == -1 && spec.Limit > 1)
            last = begin + ((_arguments.Count - begin) / spec.Limit) - 1;
        _next = begin;
        _step = Math.Max(spec.KeyStep, 1);
        _last = Math.Min(last, _arguments.Count - 1);
    }

    private void EnterKeyNum(KeySpec spec, int begin)
    {
        int countIndex = begin + spec.KeyNumIndex;
        long count = -1;
        if (countIndex >= _arguments.Count
            || !RedisNumber.TryParseInt64(_arguments[countIndex].Span, out count)
            || count <= 0 || count > _arguments.Count)
        {
            // A script may have none.
            IsMisfit = count != 0 || (_spec.Flags & CommandFlags.NoMandatoryKeys) == 0;
            return;
        }

        _next = begin + spec.FirstKey;
        _step = Math.Max(spec.KeyStep, 1);
        long last = _next + ((count - 1) * _step);
        IsMisfit |= last >= _arguments.Count;
        _last = IsMisfit ? -1 : (int)last;
    }

    private readonly int FindKeyword(KeySpec spec)
    {
        int step = spec.BeginPosition >= 0 ? 1 : -1;
        int index = _searchAgain != 0 ? _searchAgain
            : spec.BeginPosition >= 0 ? spec.BeginPosition : _arguments.Count + spec.BeginPosition;
        for (; index > 0 && index < _arguments.Count; index += step)
        {
            if (System.Text.Ascii.EqualsIgnoreCase(_arguments[index].Span, spec.Keyword))
                return index + 1;
        }

        return -1;
    }
}
