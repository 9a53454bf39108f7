using System;
using System.Net.Sockets;

namespace Cinnabar.Bench.Load;

/// <summary>Tries some batches of a plan before it is measured with, reading every reply for what it is, so
/// that counting bytes afterwards is counting replies.</summary>
internal static class ReplyCheck
{
    private const int BatchCount = 64;

    /// <summary>Sends batches from all over the plan to a server.</summary>
    /// <exception cref="LoadException">A reply is an error, absent, or of another size than
    /// planned.</exception>
    public static unsafe void Run(int port, RequestPlan plan)
    {
        using var client = new TcpClient("127.0.0.1", port) { NoDelay = true };
        NetworkStream stream = client.GetStream();
        var reader = new ReplyReader(stream);
        int step = Math.Max(1, plan.Batches.Length / BatchCount);
        for (int index = 0; index < plan.Batches.Length; index += step)
        {
            PlanBatch batch = plan.Batches[index];
            stream.Write(new ReadOnlySpan<byte>(plan.Data(batch), batch.Size));
            int size = 0;
            for (int reply = 0; reply < batch.Count; reply++)
                if (reader.Read(ref size) is null) throw new LoadException("a key is missing");
            if (size != batch.ReplySize)
                throw new LoadException($"{size} bytes of replies where {batch.ReplySize} were planned");
        }
    }
}
