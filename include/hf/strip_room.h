/* What reads strips of integrals (hf/work.h) may read beyond the end of their arrays, too, in bytes: one
 * vector of the widest instruction set. */
#ifndef HF_STRIP_ROOM_H
#define HF_STRIP_ROOM_H

enum { HF_STRIP_ROOM = 64 };

#endif
