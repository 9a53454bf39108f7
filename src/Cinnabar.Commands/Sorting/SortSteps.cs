using Cinnabar.Keyspace.Lists;
using Cinnabar.Keyspace.SortedSets;

namespace Cinnabar.Commands.Sorting;

/// <summary>
/// The steps of a long SORT. One that stores reads no other keys, and makes its list of what is kept. One
/// that only replies, but reads other keys, copies all that it needs while it holds them.
/// </summary>
/// <param name="options">Its options, which are the steps' own.</param>
internal sealed class SortSteps(SortOptions options) : StoreSteps
{
    private SortRun _run;
    private RankRange _range;
    private bool _hasRun;
    private bool _isOrdered;
    private DetachedList? _list;

    public override bool TryRead(Execution execution)
    {
        Debug.Assert(!_hasRun, "what it reads is copied once");
        if (!options.ReadsOthers)
            return true;
        if (!SortSource.TryFind(execution, out EntryView entry, out long count))
            return false;
        _range = SortCommands.RangeOf(in options, count);
        if (!SortCommands.TryOpen(execution, in options, entry, ref _range, out _run))
            return false;
        _hasRun = true;
        _isOrdered = options.IsUnsorted;
        // What GET names is found before the sort where all of it is replied.
        if (_range.Count != _run.Count)
            Order();
        if (options.GetCount == 0 || _run.TryReadGets(_range, options.Gets))
            return true;
        // Something is too long to be copied: it is replied from where it lies.
        Order();
        _run.Reply(_range, options.Gets);
        return false;
    }

    public override bool TryBuild(Execution execution)
    {
        if (_hasRun)
        {
            Order();
            _run.Reply(_range, options.Gets);
            return false;
        }

        Debug.Assert(_list is null, "a result is built once");
        if (SortSource.TryFind(execution, out EntryView entry, out long count))
            _list = SortCommands.MakeList(execution, options, entry, count);
        return _list is not null;
    }

    public override void Store(Execution execution)
    {
        Debug.Assert(_list is not null, "there is no result");
        DetachedList list = _list;
        _list = null;
        SortTarget.Store(execution, options.StoreIndex, list);
    }

    public override void Drop()
    {
        if (_hasRun)
            _run.Dispose();
        _hasRun = false;
        _list?.Dispose();
        _list = null;
    }

    private void Order()
    {
        Debug.Assert(_hasRun, "nothing was read");
        if (!_isOrdered)
            _run.Sort(in options);
        _isOrdered = true;
    }
}
