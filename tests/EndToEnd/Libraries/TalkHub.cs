using System.Threading.Tasks;
using Microsoft.AspNetCore.SignalR;

namespace Cinnabar.Tests.EndToEnd.Libraries;

/// <summary>Says to others what one client says.</summary>
public sealed class TalkHub : Hub
{
    /// <summary>The method of the clients that it calls, with the text.</summary>
    public const string Said = "said";

    /// <summary>Says it to all clients of all servers.</summary>
    public Task Say(string text) => Clients.All.SendAsync(Said, text);

    /// <summary>Makes the caller a member of a group.</summary>
    public Task Join(string group) => Groups.AddToGroupAsync(Context.ConnectionId, group);

    /// <summary>Says it to a group's members.</summary>
    public Task SayTo(string group, string text) => Clients.Group(group).SendAsync(Said, text);
}
