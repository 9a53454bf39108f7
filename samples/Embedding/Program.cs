// Two servers in one process. One of them meets an internal fault and ends; the other goes on, since servers
// share nothing. Neither changes anything of the process: signals, limits, directory and settings stay the
// program's.
using System;
using System.Threading.Tasks;
using Cinnabar;
using Cinnabar.Resp;

await using CinnabarServer first = Start();
await using CinnabarServer second = Start();
using CinnabarClient client = first.Connect();
using CinnabarClient other = second.Connect();

Console.WriteLine($"first: {client.Call("SET", "greeting", "hello").Text}");
Console.WriteLine($"second: {other.Call("INCR", "visits").Integer}");

// DEBUG PANIC stands for a fault of ours. The first server ends with exit code 1, its client gets no reply.
Task<Reply> unanswered = client.CallAsync("DEBUG", "PANIC");
Console.WriteLine($"first: ended with {await first.Completion}");
Console.WriteLine($"second: {other.Call("INCR", "visits").Integer}");

Console.WriteLine("Enter ends the program.");
Console.ReadLine();
await second.DisposeAsync();
await first.DisposeAsync();
try
{
    Console.WriteLine($"first: {(await unanswered).Text}");
}
catch (ObjectDisposedException)
{
    Console.WriteLine("first: closed");
}

return 0;

static CinnabarServer Start() => CinnabarServer.Start(new CinnabarServerOptions
{
    LoopCount = 1,
    Directives = [new("enable-debug-command", "yes")],
});
