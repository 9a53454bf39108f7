namespace Cinnabar.Keyspace;

/// <summary>What events say of a key.</summary>
public static class KeyEvents
{
    /// <summary>Whether an event stands for a change of what the key holds. As in Redis, changes of a
    /// stream's groups or last ID do not count, for WATCH and for clients that cache values.</summary>
    public static bool ChangesEntry(KeyEvent keyEvent) => keyEvent < KeyEvent.New && keyEvent
        is not (KeyEvent.StreamIdSet or KeyEvent.GroupCreated or KeyEvent.GroupIdSet
        or KeyEvent.GroupDestroyed or KeyEvent.ConsumerCreated or KeyEvent.ConsumerDeleted
        or KeyEvent.PendingAged);
}
