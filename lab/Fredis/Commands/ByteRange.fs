/// Ranges as Redis's commands take them: inclusive, negative from the end.
module Cinnabar.Lab.Fredis.Commands.ByteRange

/// The first and last index within a value of a length; nothing is selected where the first is above the
/// last.
let clip (length: int) (first: int64) (last: int64) =
    let fromStart index = max 0L (if index < 0L then index + int64 length else index)
    struct (int (min (fromStart first) length), int (min (fromStart last) (int64 length - 1L)))

/// The same for the commands to which a range before the value's start, ends crossed, selects nothing.
let clipOrdered length first last =
    if first < 0L && last < 0L && first > last then
        struct (1, 0)
    else
        clip length first last
