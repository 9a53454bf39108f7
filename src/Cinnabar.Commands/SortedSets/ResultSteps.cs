using Cinnabar.Keyspace.SortedSets;

namespace Cinnabar.Commands.SortedSets;

/// <summary>The steps of a command that builds a sorted set and stores it under its first
/// argument.</summary>
/// <param name="keyEvent">What it is to the key.</param>
internal abstract class ResultSteps(KeyEvent keyEvent) : StoreSteps
{
    private SortedSetBuilder _result;
    private bool _isBuilt;

    public sealed override bool TryBuild(Execution execution)
    {
        Debug.Assert(!_isBuilt, "a result is built once");
        _result = execution.SortedSets.Build();
        _isBuilt = true;
        if (!TryBuild(execution, ref _result))
            return false;
        _result.Complete();
        return true;
    }

    public sealed override void Store(Execution execution)
    {
        Debug.Assert(_isBuilt, "there is no result");
        SortedSetReplies.Store(execution, ref _result, keyEvent);
    }

    public sealed override void Drop()
    {
        if (_isBuilt)
            _result.Dispose();
        _isBuilt = false;
    }

    /// <summary>Builds the set.</summary>
    /// <returns>False where an error was replied.</returns>
    protected abstract bool TryBuild(Execution execution, ref SortedSetBuilder result);
}
