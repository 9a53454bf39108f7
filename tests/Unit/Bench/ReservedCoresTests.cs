using System.Globalization;
using System.IO;
using System.Linq;
using Cinnabar.Load;
using Xunit;

namespace Cinnabar.Tests.Unit.Bench;

public sealed class ReservedCoresTests
{
    private const string AllowedLine = "Cpus_allowed_list:";

    [Fact]
    public void AThreadIsKeptOffThemAndGoesWhereItMayAfterwards()
    {
        if (!File.Exists("/proc/thread-self/status"))
            return;
        string before = Allowed();
        string thread = new DirectoryInfo("/proc/thread-self").ResolveLinkTarget(true)!.Name;
        string first = before.Split(',', '-')[0];
        int core = int.Parse(first, CultureInfo.InvariantCulture);
        using (var reserved = new ReservedCores([core], () => [thread]))
        {
            bool hasOthers = before != first;
            Assert.Equal(hasOthers ? 1 : 0, reserved.MovedCount);
            Assert.Equal(hasOthers, Allowed() != before);
            Assert.Equal(!hasOthers, Allowed().Split(',', '-')[0] == first);
        }
        Assert.Equal(before, Allowed());
    }

    private static string Allowed() => File.ReadLines("/proc/thread-self/status")
        .Single(line => line.StartsWith(AllowedLine, System.StringComparison.Ordinal))[AllowedLine.Length..]
        .Trim();
}
