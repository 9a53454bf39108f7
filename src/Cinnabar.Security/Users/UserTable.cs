// All users of a server. Readers look users up without a lock, in an immutable dictionary; a change is made
// under the lock and then shown whole. An account lives as long as its name: what a user may do is replaced
// in it. A deleted account stays deleted, so that a new user of its name is another one.

using System.Collections.Immutable;
using Cinnabar.Security.Rules;

namespace Cinnabar.Security.Users;

/// <summary>The users by name. Any thread may use it.</summary>
public sealed class UserTable
{
    /// <summary>The user of a connection that has not logged in.</summary>
    public const string DefaultName = "default";

    private const string ServerName = "(server)";

    private readonly Lock _lock = new();
    private readonly IAclCommands _commands;
    private ImmutableSortedDictionary<string, UserAccount> _accounts;

    /// <summary>A table of the default user, who may do everything.</summary>
    public UserTable(IAclCommands commands)
    {
        _commands = commands;
        Default = new UserAccount(UserBuilder.MakeDefault(commands));
        Server = new UserAccount(UserBuilder.MakeUnrestricted(commands, ServerName));
        _accounts = ImmutableSortedDictionary.Create<string, UserAccount>(StringComparer.Ordinal)
            .Add(DefaultName, Default);
    }

    /// <summary>The default user, which cannot be deleted.</summary>
    public UserAccount Default { get; }

    /// <summary>The server itself, which may do everything: no user of the table.</summary>
    public UserAccount Server { get; }

    /// <summary>Whether new users may use all channels (<c>acl-pubsub-default</c>).</summary>
    public bool HasChannelsAtFirst { get; set; }

    /// <summary>The users in order of their names.</summary>
    public IEnumerable<UserAccount> All => Volatile.Read(ref _accounts).Values;

    /// <summary>Whether a name may be a user's.</summary>
    public static bool IsNameValid(string name) => name.AsSpan().IndexOfAny(" \t\r\n\v\f\0") < 0;

    /// <summary>Finds a user; null: there is none of this name.</summary>
    public UserAccount? Find(string name) => Volatile.Read(ref _accounts).GetValueOrDefault(name);

    /// <summary>Applies rules to a user, who is made if there is none: all rules, or none where one is
    /// wrong.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="rules">The rules.</param>
    /// <param name="before">The user as it was; null: it is new.</param>
    /// <returns>The error, beginning with ERR, or null.</returns>
    public string? Change(string name, IEnumerable<string> rules, out User? before)
    {
        lock (_lock)
        {
            UserAccount? account = Find(name);
            before = account?.User;
            UserBuilder builder = before is null
                ? new UserBuilder(_commands, name, HasChannelsAtFirst)
                : new UserBuilder(_commands, before, HasChannelsAtFirst);
            if (builder.ApplyAll(rules) is { } fault)
                return fault.IsOpenSelector
                    ? $"ERR Unmatched parenthesis in acl selector starting at '{fault.Rule}'."
                    : $"ERR Error in ACL SETUSER modifier '{fault.Rule}': {fault.Error}";
            Put(builder.Build());
            return null;
        }
    }

    /// <summary>Deletes a user.</summary>
    /// <returns>Its account, or null where there is none.</returns>
    public UserAccount? Delete(string name)
    {
        Debug.Assert(name != DefaultName, "the default user cannot be deleted");
        lock (_lock)
        {
            if (Find(name) is not { } account)
                return null;
            Debug.Assert(!account.IsDeleted, "a deleted account is in the table");
            account.IsDeleted = true;
            account.User = new UserBuilder(_commands, name, hasChannelsAtFirst: false).Build();
            Volatile.Write(ref _accounts, _accounts.Remove(name));
            return account;
        }
    }

    /// <summary>Replaces all users by others. Without a default user among them, the default user may do
    /// everything.</summary>
    public void ReplaceAll(IReadOnlyCollection<User> users)
    {
        lock (_lock)
        {
            Dictionary<string, User> byName = [];
            foreach (User user in users)
                byName.Add(user.Name, user);
            byName.TryAdd(DefaultName, UserBuilder.MakeDefault(_commands));
            // The accounts of one moment: deleting makes another dictionary.
            foreach (UserAccount account in All)
            {
                if (!byName.ContainsKey(account.Name))
                    Delete(account.Name);
            }

            foreach (User user in byName.Values)
                Put(user);
            Debug.Assert(Find(DefaultName) == Default, "the default user keeps its account");
        }
    }

    /// <summary>A builder for a user of a file.</summary>
    public UserBuilder NewUser(string name) => new(_commands, name, HasChannelsAtFirst);

    private void Put(User user)
    {
        Debug.Assert(_lock.IsHeldByCurrentThread, "one thread at a time changes the users");
        Debug.Assert(IsNameValid(user.Name), "the file of the users would have another name");
        if (Find(user.Name) is { } account)
            account.User = user;
        else
            Volatile.Write(ref _accounts, _accounts.Add(user.Name, new UserAccount(user)));
    }
}
