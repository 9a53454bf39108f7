namespace Cinnabar.Security.Users;

/// <summary>A user's name and what it may do now. Sessions hold it, and see each change at once.</summary>
public sealed class UserAccount
{
    private User _user;
    private bool _isDeleted;

    internal UserAccount(User user) => _user = user;

    /// <summary>Its name, one char a byte.</summary>
    public string Name => User.Name;

    /// <summary>What it may do. From any thread.</summary>
    // ORDER: a reader of the new object sees all of it; one of the old object began before the change.
    public User User
    {
        get => Volatile.Read(ref _user);
        internal set => Volatile.Write(ref _user, value);
    }

    /// <summary>Whether it has been deleted: its sessions are closed.</summary>
    public bool IsDeleted
    {
        get => Volatile.Read(ref _isDeleted);
        internal set => Volatile.Write(ref _isDeleted, value);
    }
}
