using System.Collections.Generic;
using System.Text;
using Cinnabar.Memory;
using Cinnabar.Platform;
using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.Hashing;
using Cinnabar.Structures.Trees;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Property.Structures;

public class HashMergeProperties
{
    // Pages of one size meet one or two others; small records meet the pages of large ones, which are many.
    [Theory]
    [InlineData(0, 0)]
    [InlineData(0, 400)]
    [InlineData(400, 0)]
    [InlineData(100, 700)]
    public void FindsTheCommonMembers(int paddingMax, int otherPaddingMax) => Seeded.Run(6, seed =>
    {
        using var pages = new PageSource(isChecked: true);
        using var source = new TreeSource(pages, new HashSeed(seed, 2), arenaCount: 1);
        var random = new RandomSource(seed);
        int range = 1 + (int)random.NextBelow(4_000);
        (HashPages set, HashSet<string> model) = Make(source, ref random, range, paddingMax);
        (HashPages other, HashSet<string> otherModel) = Make(source, ref random, range, otherPaddingMax);
        var found = new HashSet<string>();
        foreach (string member in Common(source, set, other)) Assert.True(found.Add(member));
        model.IntersectWith(otherModel);
        Assert.True(found.SetEquals(model));
        set.Release(source);
        other.Release(source);
    });

    private static List<string> Common(TreeSource source, HashPages set, HashPages other)
    {
        var members = new List<string>();
        HashMerge common = set.Common(source, other);
        while (common.MoveNext()) members.Add(Encoding.UTF8.GetString(common.Current.Member));
        return members;
    }

    // Values are only there to make records large.
    private static (HashPages Set, HashSet<string> Model) Make(
        TreeSource source, ref RandomSource random, int range, int paddingMax)
    {
        HashPages set = HashPages.Create(source);
        var model = new HashSet<string>();
        for (long left = (long)random.NextBelow(2 * (ulong)range); left > 0; left--)
        {
            string member = $"member {random.NextBelow((ulong)range)}";
            var padding = new byte[random.NextBelow((ulong)paddingMax + 1)];
            set.Set(source, new HashField(Encoding.UTF8.GetBytes(member), padding));
            model.Add(member);
        }
        return (set, model);
    }
}
