using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;

namespace Cinnabar.Load.Requests;

/// <summary>
/// A command compiled to the few steps that write one request of it: <c>GET __key__</c> becomes
///
///   literal *2\r\n$3\r\nGET\r\n$16\r\nkey:     key: 12 digits     literal \r\n
///
/// Constant parts are built once; variable ones are drawn while a request is written.
/// Arguments whose size never changes have their length within the literals; only one with keys or values of
/// several sizes is drawn first and measured (<see cref="PieceKind.Argument"/>). The same program serves all
/// clients; what they remember is in their <see cref="RequestStream"/>.
/// </summary>
internal sealed class RequestProgram
{
    /// <summary>How many things one argument may draw.</summary>
    public const int DrawCountMax = 16;

    /// <summary>How many digits a number has that is no key's.</summary>
    public const int NumberSize = 12;

    private readonly KeySpace _keys;
    private readonly DataSizes _data;
    private readonly bool _isRandomData;
    private readonly List<Piece> _pieces = [];

    /// <summary>Compiles a command.</summary>
    /// <exception cref="LoadException">It has too many places.</exception>
    public RequestProgram(CommandTemplate command, KeySpace keys, DataSizes data, bool isRandomData)
    {
        (_keys, _data, _isRandomData) = (keys, data, isRandomData);
        Add(Literal($"*{command.Words.Count}\r\n"));
        foreach (string word in command.Words) AddArgument(word);
        Pieces = Merge(_pieces);
    }

    /// <summary>The steps.</summary>
    public Piece[] Pieces { get; }

    /// <summary>The largest size that a request can have, in bytes.</summary>
    public long SizeMax => Pieces.Sum(SizeMaxOf);

    private void AddArgument(string word)
    {
        Piece[] parts = [.. Split(word)];
        if (parts.Count(part => part.Kind != PieceKind.Literal) > DrawCountMax)
            throw new LoadException($"an argument has more than {DrawCountMax} places: {word}");
        if (parts.All(IsFixed))
        {
            Add(Literal($"${parts.Sum(SizeMaxOf)}\r\n"));
            _pieces.AddRange(parts);
        }
        else Add(new Piece(PieceKind.Argument, [], Merge(parts)));
        Add(Literal("\r\n"));
    }

    private IEnumerable<Piece> Split(string word)
    {
        int from = 0;
        while (from < word.Length)
        {
            var places = new[] { CommandTemplate.KeyPlace, CommandTemplate.DataPlace,
                CommandTemplate.NumberPlace };
            (string place, int at) = places
                .Select(place => (place, At: word.IndexOf(place, from, StringComparison.Ordinal)))
                .Where(found => found.At >= 0).DefaultIfEmpty(("", word.Length)).MinBy(found => found.Item2);
            if (at > from) yield return Literal(word[from..at]);
            if (place == CommandTemplate.NumberPlace) yield return new(PieceKind.Number, [], []);
            if (place == CommandTemplate.KeyPlace)
            {
                yield return Literal(_keys.Prefix);
                yield return new(PieceKind.Key, [], []);
            }
            if (place == CommandTemplate.DataPlace) yield return DataPiece();
            from = at + place.Length;
        }
    }

    // A value that is always the same is a literal.
    private Piece DataPiece() => _data.IsFixed && !_isRandomData
        ? Literal(new string('x', _data.Maximum)) : new(PieceKind.Data, [], []);

    private bool IsFixed(Piece piece) => piece.Kind switch
    {
        PieceKind.Key => _keys.IsFixedWidth,
        PieceKind.Data => _data.IsFixed,
        _ => true,
    };

    private long SizeMaxOf(Piece piece) => piece.Kind switch
    {
        PieceKind.Literal => piece.Bytes.Length,
        PieceKind.Key => _keys.DigitCountMax,
        PieceKind.Data => _data.Maximum,
        PieceKind.Number => NumberSize,
        _ => piece.Parts.Sum(SizeMaxOf) + "$\r\n".Length
            + int.MaxValue.ToString(CultureInfo.InvariantCulture).Length,
    };

    private void Add(Piece piece) => _pieces.Add(piece);

    // A byte of the command line is a byte of the request; letters past Latin-1 are sent as UTF-8.
    private static Piece Literal(string text) => new(PieceKind.Literal,
        text.Any(letter => letter > '\xff') ? Encoding.UTF8.GetBytes(text) : Encoding.Latin1.GetBytes(text),
        []);

    private static Piece[] Merge(IEnumerable<Piece> pieces)
    {
        var merged = new List<Piece>();
        foreach (Piece piece in pieces)
        {
            bool isJoined = piece.Kind == PieceKind.Literal && merged.Count > 0
                && merged[^1].Kind == PieceKind.Literal;
            if (isJoined) merged[^1] = merged[^1] with { Bytes = [.. merged[^1].Bytes, .. piece.Bytes] };
            else merged.Add(piece);
        }
        return [.. merged];
    }
}
