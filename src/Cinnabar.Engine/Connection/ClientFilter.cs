// The filters of CLIENT LIST and CLIENT KILL: pairs of a name and a value (ID takes several), all of which
// must match; of a repeated name the last value counts, but ids add up. Both commands know the same ones, as
// in Valkey; most have a negation, NOT- before the name. The texts of errors are Redis's where Redis has the
// filter.

using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Observing;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Engine.Connection;

/// <summary>Chooses sessions.</summary>
internal sealed class ClientFilter
{
    // All letters that flags can have, in Redis and Valkey.
    private const string KnownFlags = "OSMPxbtRBdcuAUreTEIN";

    private static readonly (string Name, ClientProperty Property)[] s_names =
    [
        ("id", ClientProperty.Id), ("type", ClientProperty.Type), ("addr", ClientProperty.Address),
        ("laddr", ClientProperty.LocalAddress), ("ip", ClientProperty.Ip), ("user", ClientProperty.User),
        ("name", ClientProperty.Name), ("lib-name", ClientProperty.LibraryName),
        ("lib-ver", ClientProperty.LibraryVersion), ("flags", ClientProperty.Flags),
        ("capa", ClientProperty.Capabilities), ("db", ClientProperty.Database), ("maxage",
            ClientProperty.Age),
        ("idle", ClientProperty.Idle),
    ];

    private readonly List<ClientCondition> _conditions = [];

    /// <summary>Whether it is for CLIENT LIST: its error texts differ.</summary>
    public bool IsForList { get; init; }

    /// <summary>Now, in Unix milliseconds.</summary>
    public long NowMs { get; init; }

    /// <summary>Whether the caller's own session is left out.</summary>
    public bool SkipsOwn { get; set; }

    /// <summary>The sessions that can match: those of the wanted ids, or all; for CLIENT LIST in the order of
    /// their ids.</summary>
    public ReadOnlySpan<Session> Candidates(SessionRegistry sessions)
    {
        ClientCondition? wanted = _conditions.Find(
            static condition => condition is { Property: ClientProperty.Id, IsNegated: false });
        if (wanted is null)
            return IsForList ? sessions.All : sessions.Unordered;
        List<Session> found = [];
        List<long> ids = [.. wanted.Ids];
        ids.Sort();
        foreach (long id in ids)
        {
            if (sessions.Find(id) is { } session)
                found.Add(session);
        }

        return CollectionsMarshal.AsSpan(found);
    }

    public bool Matches(Session session)
    {
        foreach (ClientCondition condition in _conditions)
        {
            if (!condition.Matches(session, NowMs))
                return false;
        }

        return true;
    }

    /// <summary>Requires an address and port.</summary>
    public void AddAddress(ReadOnlySpan<byte> address) => Add(
        new ClientCondition(ClientProperty.Address, false) { Text = Encoding.Latin1.GetString(address) });

    /// <summary>Reads the filters from an argument on, or replies the error.</summary>
    public bool TryParse(SessionExecution execution, int index)
    {
        while (index < execution.ArgumentCount)
        {
            if (index + 1 == execution.ArgumentCount)
                return Refuse(execution, Errors.Syntax);
            if (execution.Is(index, "skipme"u8))
            {
                if (!execution.Is(index + 1, "yes"u8) && !execution.Is(index + 1, "no"u8))
                    return Refuse(execution, Errors.Syntax);
                SkipsOwn = execution.Is(index + 1, "yes"u8);
                index += 2;
                continue;
            }

            if (!TryFind(execution, index, out ClientProperty property, out bool isNegated))
                return Refuse(execution, Errors.Syntax);
            index++;
            var condition = new ClientCondition(property, isNegated);
            bool isRead = property == ClientProperty.Id
                ? TryReadIds(execution, condition, ref index)
                : TryRead(execution, condition, index++);
            if (!isRead)
                return false;
        }

        return true;
    }

    private static bool TryFind(
        SessionExecution execution, int index, out ClientProperty property, out bool isNegated)
    {
        string name = Encoding.Latin1.GetString(execution.Argument(index)).ToLowerInvariant();
        isNegated = name.StartsWith("not-", StringComparison.Ordinal);
        string plain = isNegated ? name["not-".Length..] : name;
        foreach ((string known, ClientProperty found) in s_names)
        {
            property = found;
            if (plain == known)
                return !isNegated || found is not (ClientProperty.Age or ClientProperty.Idle);
        }

        property = default;
        return false;
    }

    private static bool Refuse(SessionExecution execution, ReadOnlySpan<byte> error)
    {
        execution.Reply.Error(error);
        return false;
    }

    private static bool Refuse(
        SessionExecution execution, ReadOnlySpan<byte> start, ReadOnlySpan<byte> text, ReadOnlySpan<byte> end)
    {
        execution.Reply.Error(start, text, end);
        return false;
    }

    private void Add(ClientCondition added)
    {
        int index = _conditions.FindIndex(
            other => other.Property == added.Property && other.IsNegated == added.IsNegated);
        if (index < 0)
        {
            _conditions.Add(added);
            return;
        }

        HashSet<long> ids = _conditions[index].Ids;
        ids.UnionWith(added.Ids);
        _conditions[index] = added with { Ids = ids };
    }

    // Ids go on until the name of another filter.
    private bool TryReadIds(SessionExecution execution, ClientCondition condition, ref int index)
    {
        int first = index;
        for (; index < execution.ArgumentCount; index++)
        {
            bool isNumber = RedisNumber.TryParseInt64(execution.Argument(index), out long id);
            bool isNext = index > first && (execution.Is(index, "skipme"u8) || TryFind(execution, index,
                out _, out _));
            if (!isNumber && isNext)
                break;
            if (!isNumber && IsForList)
                return Refuse(execution, "ERR Invalid client ID"u8);
            if (!isNumber && index > first)
                return Refuse(execution, Errors.Syntax);
            if (!isNumber || (id < 1 && !IsForList))
                return Refuse(execution, "ERR client-id should be greater than 0"u8);
            condition.Ids.Add(id);
        }

        Add(condition);
        return true;
    }

    private bool TryRead(SessionExecution execution, ClientCondition condition, int index)
    {
        ReadOnlySpan<byte> value = execution.Argument(index);
        string text = Encoding.Latin1.GetString(value);
        long number = 0;
        switch (condition.Property)
        {
            case ClientProperty.Type:
                if (!TryKind(execution, index, out number))
                    return Refuse(execution, "ERR Unknown client type '"u8, value, "'"u8);
                break;
            case ClientProperty.User when execution.Engine.Access.Users.Find(text) is null:
                return Refuse(execution, "ERR No such user '"u8, value, "'"u8);
            case ClientProperty.Flags when text.AsSpan().ContainsAnyExcept(KnownFlags):
                return Refuse(execution, "ERR Unknown flags found in the provided filter: "u8, value,
                    default);
            case ClientProperty.Capabilities:
                if (text.AsSpan().ContainsAnyExcept('r'))
                    return Refuse(execution, "ERR Unknown capa found in the provided filter: "u8, value,
                        default);
                number = text.Length > 0 ? Session.RedirectCapability : 0;
                break;
            case ClientProperty.Database:
                if (!TryDatabase(execution, value, out number))
                    return false;
                break;
            case ClientProperty.Age or ClientProperty.Idle:
                if (!TrySeconds(execution, condition.Property, value, out number))
                    return false;
                break;
        }

        Add(condition with { Text = text, Number = number });
        return true;
    }

    private static bool TryKind(SessionExecution execution, int index, out long kind)
    {
        kind = (long)ClientKind.Normal;
        if (execution.Is(index, "normal"u8))
            return true;
        kind = (long)ClientKind.PubSub;
        if (execution.Is(index, "pubsub"u8))
            return true;
        kind = (long)ClientKind.Replica;
        if (execution.Is(index, "replica"u8) || execution.Is(index, "slave"u8))
            return true;
        kind = (long)ClientKind.Master;
        return execution.Is(index, "master"u8) || execution.Is(index, "primary"u8);
    }

    private static bool TryDatabase(SessionExecution execution, ReadOnlySpan<byte> value, out long database)
    {
        int last = execution.Engine.Keyspace.DatabaseCount - 1;
        if (!RedisNumber.TryParseInt64(value, out database))
            return Refuse(execution, "ERR DB is not an integer or out of range"u8);
        return (database >= 0 && database <= last)
            || Refuse(execution, Encoding.ASCII.GetBytes($"ERR DB number should be between 0 and {last}"));
    }

    private static bool TrySeconds(
        SessionExecution execution, ClientProperty property, ReadOnlySpan<byte> value, out long seconds)
    {
        string name = property == ClientProperty.Age ? "maxage" : "idle";
        if (!RedisNumber.TryParseInt64(value, out seconds))
            return Refuse(execution,
                Encoding.ASCII.GetBytes($"ERR {name} is not an integer or out of range"));
        return seconds > 0
            || Refuse(execution, Encoding.ASCII.GetBytes($"ERR {name} should be greater than 0"));
    }
}
