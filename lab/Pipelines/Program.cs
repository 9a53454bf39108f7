using System.IO.Pipelines;
using System.Net.Sockets;
using System.Threading.Tasks;

namespace Cinnabar.Lab.Pipelines;

internal static class Program
{
    private static int Main(string[] arguments) => StationProcess.Run("pipelines",
        () => new StationOptions(arguments, ["--parallel", "--no-token", "--nonblocking", "--bytes"], []),
        options =>
        {
            IStrings strings = options.Has("--nonblocking") ? new LockFreeStrings() : new LockingStrings();
            var bytes = options.Has("--bytes") ? new LockFreeDictionary<byte[], byte[]>() : null;
            bool isParallel = options.Has("--parallel");
            bool hasOneToken = options.Has("--no-token");
            return async socket =>
            {
                await using var stream = new NetworkStream(socket);
                PipeReader input = hasOneToken ? new OneTokenPipeReader(stream) : PipeReader.Create(stream);
                ICommands commands = bytes is null ? new StringCommands(strings) : new ByteCommands(bytes);
                var connection = new Connection(input, PipeWriter.Create(stream), commands);
                await connection.ServeAsync(isParallel);
            };
        });
}
