namespace Cinnabar.Engine.Durability;

/// <summary>Connections to the targets of MIGRATE, kept for a while: many keys go the same way, one by
/// one. Thread-safe.</summary>
internal sealed class MigrateLinks : IDisposable
{
    private const int CountMax = 64;
    private const long IdleMsMax = 10_000;

    private readonly List<MigrateLink> _idle = [];

    /// <summary>Connections that are kept.</summary>
    public int Count
    {
        get
        {
            lock (_idle)
                return _idle.Count;
        }
    }

    /// <summary>Takes a connection to a place; null: there is none.</summary>
    public MigrateLink? TryTake(string place)
    {
        lock (_idle)
        {
            int index = _idle.FindLastIndex(link => link.Place == place);
            if (index < 0)
                return null;
            MigrateLink found = _idle[index];
            _idle.RemoveAt(index);
            return found;
        }
    }

    /// <summary>Keeps a connection whose replies have all been received.</summary>
    public void Return(MigrateLink link, long nowMs)
    {
        link.UsedMs = nowMs;
        MigrateLink? oldest = null;
        lock (_idle)
        {
            _idle.Add(link);
            if (_idle.Count > CountMax)
            {
                oldest = _idle[0];
                _idle.RemoveAt(0);
            }
        }

        oldest?.Dispose();
    }

    /// <summary>Closes those that nobody has used for ten seconds.</summary>
    public void CloseIdle(long nowMs)
    {
        lock (_idle)
        {
            // The first was returned first.
            while (_idle.Count > 0 && nowMs - _idle[0].UsedMs > IdleMsMax)
            {
                _idle[0].Dispose();
                _idle.RemoveAt(0);
            }
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        lock (_idle)
        {
            foreach (MigrateLink link in _idle)
                link.Dispose();
            _idle.Clear();
        }
    }
}
