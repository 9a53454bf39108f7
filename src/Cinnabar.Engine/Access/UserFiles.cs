using System.IO;
using System.Linq;
using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Logging;
using Cinnabar.Platform;
using Cinnabar.Platform.Files;
using Cinnabar.Security.Users;

namespace Cinnabar.Engine.Access;

/// <summary>The users of a server's files: of its <c>aclfile</c>, or of the <c>user</c> lines of its
/// configuration file.</summary>
internal sealed class UserFiles(AccessControl access, ConfigurationRegistry configuration, ILog log)
{
    private readonly AccessControl _access = access;
    private readonly ConfigurationRegistry _configuration = configuration;
    private readonly ILog _log = log;
    private readonly Lock _writing = new();

    private static string NotConfigured =>
        "ERR This Redis instance is not configured to use an ACL file. You may want to specify users via the "
        + "ACL SETUSER command and then issue a CONFIG REWRITE (assuming you have a Redis configuration file "
        + "set) in order to store users in the Redis configuration.";

    /// <summary>Loads the users at the start.</summary>
    /// <exception cref="IOException">They are wrong; the server must not start.</exception>
    public void LoadAtStart()
    {
        _access.Users.HasChannelsAtFirst = _configuration.TextOf("acl-pubsub-default") == "allchannels";
        _access.SetDefaultPassword(_configuration.Settings.RequirePass);
        if (Path() is { } path)
        {
            if (Read(path, out List<User> users) is { } error)
                throw new IOException("Aborting Redis startup because of ACL errors: " + error);
            _access.Users.ReplaceAll(users);
        }
        else if (_configuration.UserLines.Count > 0)
        {
            LoadLines();
        }

        _access.NoteDefault();
    }

    /// <summary>Reads the users for ACL LOAD; any thread.</summary>
    /// <param name="users">The users, for <see cref="AccessControl.ReplaceAll"/>.</param>
    /// <returns>The error, beginning with ERR, or null.</returns>
    public string? Read(out List<User> users)
    {
        users = [];
        if (Path() is not { } path)
            return NotConfigured;
        if (Read(path, out users) is not { } error)
            return null;
        _log.Write(LogLevel.Warning, error);
        return "ERR " + error;
    }

    /// <summary>ACL SAVE; any thread.</summary>
    /// <returns>The error, beginning with ERR, or null.</returns>
    public string? Save()
    {
        if (Path() is not { } path)
            return NotConfigured;
        try
        {
            // Of two that save at once the second has the users of the later moment.
            lock (_writing)
                FileReplacement.Write(path, Encoding.Latin1.GetBytes(UserFile.Write(_access.Users.All)));
            return null;
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            _log.Write(LogLevel.Warning, "Saving the ACL file: " + SystemErrorText.Of(fault, path));
            return "ERR There was an error trying to save the ACLs. Please check the server logs for more "
                + "information";
        }
    }

    /// <summary>The <c>user</c> lines that CONFIG REWRITE writes: none where an <c>aclfile</c> has the
    /// users.</summary>
    public List<string> RewrittenLines()
    {
        List<string> lines = [];
        if (Path() is not null)
            return lines;
        string password = _configuration.Settings.RequirePass;
        string plain = password.Length == 0 ? "on nopass ~* &* +@all"
            : $"on #{PasswordHash.Of(Encoding.Latin1.GetBytes(password))} ~* &* +@all";
        foreach (UserAccount account in _access.Users.All)
        {
            // What requirepass says already needs no line.
            if (account != _access.Users.Default || account.User.Describe() != plain)
                lines.Add(account.User.ToString());
        }

        return lines;
    }

    private string? Path()
    {
        string path = ConfigurationText.ToPath(_configuration.TextOf("aclfile"));
        return path.Length == 0 ? null : System.IO.Path.GetFullPath(
            path, System.IO.Path.GetFullPath(ConfigurationText.ToPath(_configuration.TextOf("dir"))));
    }

    private string? Read(string path, out List<User> users)
    {
        users = [];
        try
        {
            string text = File.ReadAllText(path, Encoding.Latin1);
            string errors = UserFile.Read(_access.Users, path, text, out users);
            return errors.Length == 0 ? null
                : errors + "WARNING: ACL errors detected, no change to the previously active ACL rules was "
                    + "performed";
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            return $"Error loading ACLs, opening file '{path}': {SystemErrorText.Of(fault, path)}";
        }
    }

    private void LoadLines()
    {
        List<User> users = [];
        foreach (IReadOnlyList<string> words in _configuration.UserLines)
        {
            string? mistake = null;
            UserBuilder builder = _access.Users.NewUser(words[0]);
            if (!UserTable.IsNameValid(words[0]))
                mistake = "Spaces not allowed in ACL usernames";
            else if (builder.ApplyAll(words.Skip(1)) is { } fault)
                mistake = $"Error loading ACL rule '{fault.Rule}' for the user named '{words[0]}': "
                    + fault.Error;
            if (mistake is not null)
            {
                _log.Write(LogLevel.Warning, mistake);
                throw new IOException("Critical error while loading ACLs. Exiting.");
            }

            User user = builder.Build();
            if (!user.IsEnabled)
            {
                _log.Write(LogLevel.Notice, $"The user '{user.Name}' is disabled (there is no 'on' modifier "
                    + "in the user description). Make sure this is not a configuration error.");
            }

            users.Add(user);
        }

        KeepDefault(users);
        _access.Users.ReplaceAll(users);
    }

    // Without a line of its own the default user keeps what requirepass says.
    private void KeepDefault(List<User> users)
    {
        if (!users.Exists(static user => user.Name == UserTable.DefaultName))
            users.Add(_access.Users.Default.User);
    }
}
