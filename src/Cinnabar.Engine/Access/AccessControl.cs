// The users of one server and its sessions. A session holds its account, whose user is replaced as a whole;
// so every check sees the rules of the moment. Only the flag that keeps a restricted session off the shortest
// path is a copy, which its loop owns. While loops have yet to bring it up to date, a gate keeps all
// sessions off that path:
//
//   ACL SETUSER ─► the account's user ─► the gate shuts ─► the reply
//                                            └─► each loop: flags, subscriptions ─► the last one opens it
//
// So no command that begins after the reply gets more than the new rules. A deleted account's user may do
// nothing; its sessions are closed.

using System.Linq;
using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Mail;
using Cinnabar.Engine.Observing;
using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Specs;
using Cinnabar.Messaging;
using Cinnabar.Platform;
using Cinnabar.Security.Logging;
using Cinnabar.Security.Users;

namespace Cinnabar.Engine.Access;

/// <summary>Who may do what on a server.</summary>
internal sealed class AccessControl(
    UserTable users, Settings settings, Clock clock, GateSet gates, IAccessLoops loops)
{
    private const int LoggedLengthMax = 4096;

    private readonly Settings _settings = settings;
    private readonly Clock _clock = clock;
    private readonly GateSet _gates = gates;
    private readonly IAccessLoops _loops = loops;
    private readonly Lock _lock = new();
    private int _pendingCount;

    /// <summary>The users.</summary>
    public UserTable Users { get; } = users;

    /// <summary>ACL LOG.</summary>
    public AclLog Log { get; } = new();

    /// <summary>The files of the users.</summary>
    public UserFiles Files { get; set; } = null!;

    /// <summary>Counts of what was denied.</summary>
    public AccessDenials Denials { get; } = new();

    /// <summary>Whether the session of an execution may run or queue a command now, or why not.</summary>
    public static AccessDenial Find(SessionExecution execution, CommandSpec spec, ArgumentList arguments)
    {
        Session session = execution.Session;
        return AccessCheck.Find(session.Account.User, spec, arguments,
            session.Transaction?.Database ?? session.Database, execution.Keys.Keyspace.DatabaseCount);
    }

    /// <summary>Counts and logs a denied command.</summary>
    public void Note(Session session, AccessDenial denial, CommandSpec spec, ArgumentList arguments,
        DenialPlace place) =>
        Note(session, denial.Reason, place, SubjectOf(denial, spec, arguments), session.User);

    /// <summary>What ACL LOG names as the object of a denial.</summary>
    public static string SubjectOf(AccessDenial denial, CommandSpec spec, ArgumentList arguments) =>
        denial.Index > 0
            ? Encoding.Latin1.GetString(arguments[denial.Index].Span) : spec.Name;

    /// <summary>Logs a session in, or counts and logs that it may not be.</summary>
    /// <param name="session">The session, on its loop.</param>
    /// <param name="user">The user's name.</param>
    /// <param name="password">The password.</param>
    /// <param name="command">The command as the client wrote it.</param>
    /// <returns>Whether it is logged in.</returns>
    public bool TryLogIn(Session session, ReadOnlySpan<byte> user, ReadOnlySpan<byte> password,
        ReadOnlySpan<byte> command)
    {
        string name = Encoding.Latin1.GetString(user);
        UserAccount? account = Users.Find(name);
        // An unknown name takes as long as a wrong password.
        bool isRight = (account ?? Users.Default).User.Accepts(password) && account is not null;
        bool isForbidden = isRight && account != Users.Default && !HasNeededCertificate(session, name);
        if (isRight && !isForbidden)
        {
            session.LogIn(account!);
            return true;
        }

        Note(session, isForbidden ? DenialReason.Certificate : DenialReason.Authentication,
            session.IsInTransaction ? DenialPlace.Transaction : DenialPlace.TopLevel,
            Encoding.Latin1.GetString(command), name);
        return false;
    }

    /// <summary>Logs a session in as the first enabled user that its certificate names. Without one, that is
    /// counted and logged, and the session stays the default user's.</summary>
    /// <param name="session">The session, on its loop.</param>
    public void LogInByCertificate(Session session)
    {
        IReadOnlyList<string> names = session.Endpoint.CertificateNames!;
        foreach (string name in names)
        {
            if (Users.Find(name) is { User.IsEnabled: true } account)
            {
                session.LogIn(account);
                return;
            }
        }

        Note(session, DenialReason.Certificate, DenialPlace.TopLevel, subject: "", names[0]);
    }

    /// <summary>Changes a user, or makes one.</summary>
    /// <returns>The error, beginning with ERR, or null.</returns>
    public string? Change(string name, IEnumerable<string> rules)
    {
        if (Users.Change(name, rules, out User? before) is { } error)
            return error;
        NoteDefault();
        if (before is not null)
            Spread();
        return null;
    }

    /// <summary>Deletes users and closes their sessions.</summary>
    /// <returns>How many there were.</returns>
    public int Delete(IEnumerable<string> names)
    {
        int count = 0;
        foreach (string name in names)
            count += Users.Delete(name) is null ? 0 : 1;

        if (count > 0)
            Spread();
        return count;
    }

    /// <summary>Replaces all users. Sessions whose users are no more, or whose subscriptions these no longer
    /// allow, are closed.</summary>
    public void ReplaceAll(IReadOnlyCollection<User> users)
    {
        Users.ReplaceAll(users);
        NoteDefault();
        Spread();
    }

    /// <summary>Gives the default user the password of <c>requirepass</c>, or none.</summary>
    public void SetDefaultPassword(string password)
    {
        string[] rules = password.Length == 0 ? ["nopass"] : ["resetpass", ">" + password];
        string? error = Users.Change(UserTable.DefaultName, rules, out _);
        Debug.Assert(error is null, "the rules are right");
        NoteDefault();
    }

    /// <summary>Brings up to date what the settings say of the default user.</summary>
    public void NoteDefault()
    {
        User user = Users.Default.User;
        _settings.IsPasswordRequired = !user.IsEnabled || !user.NeedsNoPassword;
        _settings.HasDefaultPassword = !user.NeedsNoPassword;
    }

    /// <summary>Brings a session up to date that has just come to its loop, or whose user has
    /// changed.</summary>
    public static void Refresh(Session session)
    {
        session.NoteAccess();
        bool isLost = session.Account.IsDeleted || !AllowsSubscriptions(session);
        if (!isLost || session.IsKilled || session.IsClosed)
            return;
        session.IsKilled = true;
        session.Loop.Post(new MailboxMessage { Kind = MailboxMessageKind.Kill, Target = session });
    }

    // What is published after the reply comes behind this in the loops' mailboxes. What overtakes it
    // (MessageDelivery) finds the gate shut.
    private void Spread()
    {
        lock (_lock)
        {
            _pendingCount += _loops.LoopCount;
            _gates.Set(ServerGates.UsersChanging, true);
        }

        _loops.RunOnEach(loop =>
        {
            foreach (Session session in _loops.Sessions.Unordered)
            {
                if (session.Loop == loop && !session.IsMoving)
                    Refresh(session);
            }

            lock (_lock)
            {
                if (--_pendingCount == 0)
                    _gates.Set(ServerGates.UsersChanging, false);
            }
        });
    }

    private bool HasNeededCertificate(Session session, string name) =>
        !_settings.IsCertificateRequired || _settings.CertificateUser == CertificateUser.Off
        || (session.Endpoint.CertificateNames?.Contains(name) ?? false);

    /// <summary>Whether a session's user may use all that the session is subscribed to.</summary>
    public static bool AllowsSubscriptions(Session session)
    {
        User user = session.Account.User;
        if (session.Subscriptions is not { } all || user.IsUnrestricted)
            return true;
        return Allows(user, all.Channels, isPattern: false) && Allows(user, all.Patterns, isPattern: true)
            && Allows(user, all.ShardChannels, isPattern: false);
    }

    private static bool Allows(User user, Dictionary<byte[], Subscription> names, bool isPattern)
    {
        foreach (byte[] name in names.Keys)
        {
            if (!AccessCheck.AllowsChannel(user, name, isPattern))
                return false;
        }

        return true;
    }

    /// <summary>Counts and logs a denial.</summary>
    public void Note(
        Session session, DenialReason reason, DenialPlace place, string subject, string userName)
    {
        Denials.Count(reason);
        long nowMs = _clock.UnixMicroseconds / 1000;
        Log.Add(new AclLogEntry
        {
            Id = 0,
            Reason = reason,
            Place = place,
            Subject = Bounded(subject),
            UserName = Bounded(userName),
            Client = Bounded(ClientDescription.ForLog(session, _clock, _settings)),
            CreatedMs = nowMs,
            UpdatedMs = nowMs,
        }, _settings.AclLogLengthMax);
    }

    // A key or a name may have half a gigabyte, and the log keeps many.
    private static string Bounded(string text) => text.Length <= LoggedLengthMax
        ? text : $"{text.AsSpan(0, LoggedLengthMax)}... ({text.Length - LoggedLengthMax} more bytes)";
}
