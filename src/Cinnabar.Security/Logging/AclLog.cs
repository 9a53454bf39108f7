namespace Cinnabar.Security.Logging;

/// <summary>ACL LOG: what was denied lately, newest first. Any thread may use it.</summary>
public sealed class AclLog
{
    // Redis looks at so many entries for an equal one, and takes no older one than this.
    private const int ComparedCountMax = 10;
    private const long GroupedMsMax = 60_000;

    private readonly Lock _lock = new();
    private readonly List<AclLogEntry> _entries = [];
    private long _nextId;

    /// <summary>Adds a denial; its Id is assigned here.</summary>
    /// <param name="denial">The denial.</param>
    /// <param name="countMax">How many entries are kept (<c>acllog-max-len</c>).</param>
    public void Add(AclLogEntry denial, long countMax)
    {
        Debug.Assert(countMax >= 0, "a number of entries is not negative");
        lock (_lock)
        {
            int known = _entries.FindIndex(0, Math.Min(_entries.Count, ComparedCountMax),
                entry => entry.IsLike(denial) && denial.UpdatedMs - entry.UpdatedMs <= GroupedMsMax);
            if (known >= 0)
            {
                AclLogEntry entry = _entries[known];
                _entries.RemoveAt(known);
                _entries.Insert(0, entry with
                {
                    Count = entry.Count + 1,
                    Client = denial.Client,
                    UpdatedMs = denial.UpdatedMs,
                });
            }
            else
            {
                _entries.Insert(0, denial with { Id = _nextId++ });
            }

            if (_entries.Count > countMax)
                _entries.RemoveRange((int)countMax, _entries.Count - (int)countMax);
        }
    }

    /// <summary>The newest entries.</summary>
    /// <param name="countMax">How many at most.</param>
    public List<AclLogEntry> Newest(long countMax)
    {
        Debug.Assert(countMax >= 0, "a number of entries is not negative");
        lock (_lock)
            return _entries.GetRange(0, (int)Math.Min(countMax, _entries.Count));
    }

    /// <summary>Forgets all entries.</summary>
    public void Clear()
    {
        lock (_lock)
            _entries.Clear();
    }
}
